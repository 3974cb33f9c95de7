// An installation without reports: every view that needs some says how they come, in place of an empty list.
import type { Frequency } from '../api/wire.ts';
import { addressOf, changeParams } from '../app/location.ts';
import { EmptyNotice } from './notices.tsx';
import { usePeriods, usePeriodsAnswer } from './periods.ts';

/** Of a frequency, or of any; known once the list of periods has come. */
export function useIsWithoutData(type?: Frequency): boolean {
  const { answer } = usePeriodsAnswer();
  return answer?.data.every((each) => each.source !== 'search' || (type !== undefined && each.type !== type)) ?? false;
}

export function NoData({ type }: { readonly type: Frequency }) {
  const other: Frequency = type === 'monthly' ? 'weekly' : 'monthly';
  const hasOther = usePeriods(other).length > 0;
  if (hasOther) {
    const show = () => changeParams({ type: other === 'monthly' ? null : other, page: null, offset: null });
    return (
      <EmptyNotice title={`There are no ${type} reports yet, only ${other} ones.`}>
        <p>
          <button type="button" class="button is-primary" onClick={show}>
            Show the {other} ranks
          </button>
        </p>
      </EmptyNotice>
    );
  }
  return (
    <EmptyNotice title="There is no data yet.">
      <p>Whoever runs this service imports a report, on the machine where it runs:</p>
      <pre class="command">npx keyrank import US_Top_Search_Terms_Simple_Month_2026_10_31.csv</pre>
      <p>
        Or in the browser, as an operator of this installation:{' '}
        <a href={addressOf('/imports')} data-view>
          import reports
        </a>
        .
      </p>
      <p>
        It takes Amazon’s Top Search Terms (Brand Analytics or Selling Partner API), Walmart’s Top Search Trends, and
        any CSV with the columns <code>period_type,period,search_term,rank</code>. What is imported appears here without
        a restart.
      </p>
      <p>
        <button type="button" class="button is-primary" onClick={() => window.location.reload()}>
          Look again
        </button>
      </p>
    </EmptyNotice>
  );
}
