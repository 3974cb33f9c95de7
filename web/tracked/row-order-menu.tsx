import type { SortState } from '../parts/data-grid.tsx';
import { sortBy } from './row-order.ts';

interface RowOrderMenuProps {
  readonly sort: SortState;
  /** By what a column sorts by. */
  readonly texts: Readonly<Record<string, string>>;
}

/** For phones, where tables have no heads to press. */
export function RowOrderMenu({ sort, texts }: RowOrderMenuProps) {
  return (
    <div class="row-order">
      <select
        aria-label="Sort by"
        value={sort.order}
        onChange={(event) => sortBy(event.currentTarget.value, { ...sort, order: '' })}
      >
        <option value="">As added</option>
        {Object.entries(texts).map(([order, text]) => (
          <option key={order} value={order}>
            {text}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="button is-icon"
        disabled={sort.order === ''}
        aria-label={sort.isDescending ? 'Descending; sort ascending' : 'Ascending; sort descending'}
        onClick={() => sortBy(sort.order, sort)}
      >
        <span aria-hidden="true">{sort.isDescending ? '↓' : '↑'}</span>
      </button>
    </div>
  );
}
