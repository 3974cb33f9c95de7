// A product or brand that no visible report names: what was looked at, and where else to look.
import type { Frequency } from '../api/wire.ts';
import { addressOf } from '../app/location.ts';
import { EmptyNotice } from '../parts/notices.tsx';
import { usePeriods } from '../parts/periods.ts';
import { showType } from './frequency-choice.tsx';
import { type Holder, keyOf } from './holder.ts';

export function UnknownHolder({ holder, type }: { readonly holder: Holder; readonly type: Frequency }) {
  const count = usePeriods(type).length;
  const other: Frequency = type === 'monthly' ? 'weekly' : 'monthly';
  const hasOther = usePeriods(other).length > 0;
  const [unit, name] = [type === 'monthly' ? 'month' : 'week', keyOf(holder)];
  return (
    <EmptyNotice title={`No ${type} report that you can see names ${holder.kind === 'brand' ? `“${name}”` : name}.`}>
      <p>
        Reports name the three most clicked {holder.kind === 'brand' ? 'brands' : 'products'} of each keyword.
        {count === 1 ? ` The one ${unit}` : ` None of the ${count} ${unit}s`} that you can see{' '}
        {count === 1 ? 'does not have it.' : 'has it.'}
      </p>
      <p class="notice-actions">
        {hasOther && (
          <button type="button" class="button is-primary" onClick={() => showType(other)}>
            Look in the {other} reports
          </button>
        )}
        <a class="button" href={addressOf('/', { query: name })} data-view>
          Search keywords with “{name}”
        </a>
      </p>
    </EmptyNotice>
  );
}
