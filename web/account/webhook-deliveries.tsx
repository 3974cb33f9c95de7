import { useState } from 'preact/hooks';
import { ask, forgetAnswers } from '../api/client.ts';
import { asFailure, useAnswer } from '../api/use-answer.ts';
import type { DeliveriesAnswer, Webhook } from '../api/wire.ts';
import { formatAge, formatInstant } from '../parts/format.ts';
import { useLookingAgain } from '../parts/look-again.ts';
import { Skeleton } from '../parts/notices.tsx';
import { OlderAndNewer } from '../parts/older-and-newer.tsx';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';

const SHOWN = 20;

/** What was sent to a webhook and what became of it, with a way to try it out. */
export function WebhookDeliveries({ webhook }: { readonly webhook: Webhook }) {
  const path = `/v1/webhooks/${webhook.id}/deliveries` as const;
  const [offset, setOffset] = useState(0);
  const { answer, failure, reload } = useAnswer<DeliveriesAnswer>(`${path}?limit=${SHOWN}&offset=${offset}`);
  const refresh = () => {
    forgetAnswers(path);
    reload();
  };
  useLookingAgain(
    answer?.data.some(({ status, attempts, error }) => status === 'pending' && attempts <= 1 && error === null) ??
      false,
    refresh,
  );
  const test = async () => {
    try {
      await ask(`/v1/webhooks/${webhook.id}/test`, { method: 'POST' });
      showToast('A test message is on its way.');
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    refresh();
  };
  return (
    <div class="webhook-log">
      <p class="team-tools">
        <button type="button" class="button is-small" onClick={test}>
          Send a test message
        </button>
        <button type="button" class="button is-small" onClick={refresh}>
          Refresh
        </button>
      </p>
      {failure && <p class="fault">{failure.message}</p>}
      {!answer && !failure && <Skeleton rows={2} height={28} />}
      {answer?.data.length === 0 && offset === 0 && <p class="muted">Nothing was sent yet.</p>}
      {answer && answer.data.length > 0 && (
        <ul class="team-rows" aria-label={`Deliveries to ${webhook.url}`}>
          {answer.data.map((delivery) => (
            <li key={delivery.id}>
              <span class="team-who">
                <b>{delivery.status}</b> <code>{delivery.event}</code>
                <small class="muted">
                  {delivery.attempts} {delivery.attempts === 1 ? 'attempt' : 'attempts'}
                  {delivery.response_status !== null && ` · answered ${delivery.response_status}`}
                  {delivery.error !== null && ` · ${delivery.error}`}
                  {delivery.next_attempt_at !== null && ` · again ${formatInstant(delivery.next_attempt_at)}`}
                </small>
              </span>
              <time class="muted" dateTime={delivery.created_at}>
                {formatAge(delivery.created_at, Date.now())}
              </time>
            </li>
          ))}
        </ul>
      )}
      {answer && <OlderAndNewer pagination={answer.pagination} pageSize={SHOWN} onOffset={setOffset} />}
    </div>
  );
}
