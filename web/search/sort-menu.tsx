import { changeParams } from '../app/location.ts';
import { formatPeriod } from '../parts/format.ts';
import { usePeriods } from '../parts/periods.ts';
import { isBestDescending, isPeriodKey, type SearchState } from './search-state.ts';

const ORDERS = [
  { value: 'best_match', text: 'Best match' },
  { value: 'fts_rank', text: 'Relevance of words' },
  { value: 'similarity_score', text: 'Similarity' },
  { value: 'latest_rank', text: 'Latest rank' },
  { value: 'best_rank', text: 'Best rank' },
  { value: 'worst_rank', text: 'Worst rank' },
  { value: 'avg_rank', text: 'Average rank' },
  { value: 'total_periods', text: 'Number of periods' },
  { value: 'latest_period', text: 'Newest period' },
  { value: 'change', text: 'Change' },
  { value: 'change_percentage', text: 'Change in percent' },
  { value: 'year_change', text: 'Year on year' },
  { value: 'click_concentration', text: 'Concentration of clicks' },
  { value: 'conversion_to_click', text: 'Conversion to click' },
  { value: 'title_gap', text: 'Title gap' },
  { value: 'first_seen', text: 'First seen' },
];

/** Orders by `order`; asked again, turns it around. */
export function sortBy(order: string, { sort }: Pick<SearchState, 'sort'>): void {
  const isDescending = sort.order === order ? !sort.isDescending : isBestDescending(order);
  changeParams({
    order_by: order === 'best_match' ? null : order,
    order_direction: isDescending === isBestDescending(order) ? null : isDescending ? 'desc' : 'asc',
    page: null,
  });
}

/** Every order there is: the fields, and each period by its ranks. */
export function SortMenu({ state }: { readonly state: SearchState }) {
  const periods = usePeriods(state.type).toReversed();
  const { order, isDescending } = state.sort;
  const isListed = ORDERS.some(({ value }) => value === order) || periods.some(({ period }) => period === order);
  return (
    <div class="sort-menu">
      <label>
        <span class="muted">Sort by</span>
        <select value={order} onChange={(event) => sortBy(event.currentTarget.value, state)}>
          {!isListed && <option value={order}>{isPeriodKey(order) ? formatPeriod(order, state.type) : order}</option>}
          <optgroup label="Field">
            {ORDERS.map(({ value, text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </optgroup>
          <optgroup label="Rank in">
            {periods.map(({ period }) => (
              <option key={period} value={period}>
                {formatPeriod(period, state.type)}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      <button
        type="button"
        class="button is-icon"
        aria-label={isDescending ? 'Descending; sort ascending' : 'Ascending; sort descending'}
        onClick={() => sortBy(order, state)}
      >
        <span aria-hidden="true">{isDescending ? '↓' : '↑'}</span>
      </button>
    </div>
  );
}
