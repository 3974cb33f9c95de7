import { useEffect, useState } from 'preact/hooks';
import type { Frequency } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { formatPeriod } from '../parts/format.ts';
import { canonicalKey, usePeriods } from '../parts/periods.ts';

/** Words and the period of a list of keywords. */
export function ListFilters({ type }: { readonly type: Frequency }) {
  const { params } = place.value;
  const periods = usePeriods(type).toReversed();
  const words = params.get('query') ?? '';
  const [typed, setTyped] = useState(words);
  useEffect(() => setTyped(words), [words]);
  const submit = (event: Event) => {
    event.preventDefault();
    if (typed.trim() === words) return;
    changeParams({ query: typed.trim() === '' ? null : typed.trim(), page: null });
  };
  const newest = periods[0]?.period;
  return (
    <>
      <form class="list-filter" onSubmit={submit}>
        <input
          type="search"
          aria-label="Filter keywords by words"
          placeholder="Filter by words"
          maxLength={256}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onBlur={submit}
        />
      </form>
      <label class="comparison-picker">
        <span class="muted">Period</span>
        <select
          value={canonicalKey(params.get('period') ?? newest ?? '')}
          onChange={({ currentTarget: { value } }) =>
            changeParams({ period: value === newest ? null : value, page: null })
          }
        >
          {periods.map(({ period }) => (
            <option key={period} value={period}>
              {formatPeriod(period, type)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
