import { ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { Download, RetryAnswer } from '../api/wire.ts';
import { formatPeriod } from '../parts/format.ts';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';

interface RetryPeriodProps {
  readonly connectionId: string;
  readonly entry: Pick<Download, 'marketplace' | 'type' | 'period'>;
  readonly onRetried: () => void;
}

export function RetryPeriod({ connectionId, entry, onRetried }: RetryPeriodProps) {
  const { marketplace, type, period } = entry;
  const name = `${marketplace}, ${formatPeriod(period, type)}`;
  const retry = async () => {
    try {
      const body = { marketplace, type, period };
      const { data } = await ask<RetryAnswer>(`/v1/connections/${connectionId}/retry`, { method: 'POST', body });
      showToast(data.retried > 0 ? `${name} is tried again now.` : `${name} is being fetched already.`);
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    onRetried();
  };
  return (
    <button type="button" class="button is-small" aria-label={`Retry now ${name}`} onClick={retry}>
      Retry now
    </button>
  );
}
