// What a change is, in every view: the rank in the newest period against the rank in the period before it, or in the one that the
// reader chose. A keyword that lacks one of the two ranks has no change.
import type { Frequency } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { formatPeriod, formatPeriodShort } from './format.ts';
import { canonicalKey, usePeriods } from './periods.ts';

const YEAR_AGO = 'year_ago';

export interface Comparison {
  readonly type: Frequency;
  /** Oldest first, the newest left out: what the newest period can be compared with. */
  readonly choices: readonly string[];
  readonly from: string;
  readonly to: string;
}

/** Undefined while there are fewer than two periods. */
export function useComparison(type: Frequency): Comparison | undefined {
  const periods = usePeriods(type);
  return compareWithin(
    periods.map(({ period }) => period),
    type,
  );
}

/** Among these periods, oldest first. */
export function compareWithin(periods: readonly string[], type: Frequency): Comparison | undefined {
  const choices = periods.slice(0, -1);
  const to = periods.at(-1);
  const asked = place.value.params.get('compare_to') ?? '';
  const chosen = asked === YEAR_AGO && to !== undefined ? yearBefore(to, choices) : canonicalKey(asked);
  const from = choices.find((period) => period === chosen) ?? choices.at(-1);
  return from === undefined || to === undefined ? undefined : { type, choices, from, to };
}

/** The same month or week of the year before; week 52 where that year has no week 53. */
function yearBefore(period: string, choices: readonly string[]): string | undefined {
  const [number = '', year = ''] = period.split('-');
  const same = [number, ...(number === '53' ? ['52'] : [])].map((each) => `${each}-${Number(year) - 1}`);
  return same.find((each) => choices.includes(each));
}

/** Positive is up. */
export function changeOf(
  ranks: Readonly<Record<string, number | null | undefined>>,
  comparison: Comparison | undefined,
): number | undefined {
  if (!comparison) return undefined;
  const [before, now] = [ranks[comparison.from], ranks[comparison.to]];
  return before && now ? before - now : undefined;
}

/** The head of a column of changes. */
export function ChangeTitle({ comparison }: { readonly comparison: Comparison | undefined }) {
  return (
    <span class="change-title">
      Change
      {comparison && <small> since {formatPeriodShort(comparison.from, comparison.type)}</small>}
    </span>
  );
}

export function ComparisonPicker({ comparison }: { readonly comparison: Comparison | undefined }) {
  if (!comparison) return null;
  const { choices, from, to, type } = comparison;
  const yearAgo = yearBefore(to, choices);
  return (
    <label class="comparison-picker">
      <span class="muted">Change since</span>
      <select
        value={from}
        onChange={(event) => {
          const { value } = event.currentTarget;
          changeParams({ compare_to: value === choices.at(-1) ? null : value, page: null, offset: null });
        }}
      >
        {choices.toReversed().map((period) => (
          <option key={period} value={period}>
            {formatPeriod(period, type)}
            {period === yearAgo && ', a year ago'}
          </option>
        ))}
      </select>
    </label>
  );
}
