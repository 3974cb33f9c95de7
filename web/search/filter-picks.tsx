// What the results at hand could be narrowed by: their brands, categories and products, the most frequent first.
import { recall } from '../api/client.ts';
import type { SearchAnswer, SearchResult } from '../api/wire.ts';
import { place } from '../app/location.ts';
import { formatNumber } from '../parts/format.ts';
import type { SearchState } from './search-state.ts';

export interface FilterPick {
  readonly value: string;
  /** What the value stands for, where it does not say so itself. */
  readonly name: string;
  /** How many rows have it. */
  readonly count: number;
}

const MAX_PICKS = 8;

type NamedValue = readonly [value: string, name: string];

const VALUES: Readonly<Record<string, (row: SearchResult) => readonly NamedValue[]>> = {
  brand: ({ latest_data: { brands } }) => brands.map((brand) => [brand, '']),
  category: ({ latest_data: { categories } }) => categories.map((category) => [category, '']),
  product: ({ latest_data: { products } }) => products.map(({ asin, title }) => [asin, title]),
};

/** Those of the rows on the page, without what is chosen already. */
export function listPicks(param: string, { params }: SearchState): readonly FilterPick[] {
  const valuesOf = VALUES[param];
  const rows = recall<SearchAnswer>(`/v1/search/keywords?${params}`)?.data ?? [];
  if (!valuesOf) return [];
  const chosen = new Set(place.value.params.getAll(param));
  const picks = new Map<string, FilterPick>();
  for (const row of rows) {
    for (const [value, name] of new Map(valuesOf(row))) {
      if (!chosen.has(value)) picks.set(value, { value, name, count: (picks.get(value)?.count ?? 0) + 1 });
    }
  }
  return [...picks.values()].toSorted((a, b) => b.count - a.count);
}

interface FilterPicksProps {
  readonly picks: readonly FilterPick[];
  readonly onPick: (value: string) => void;
}

export function FilterPicks({ picks, onPick }: FilterPicksProps) {
  if (picks.length === 0) return null;
  return (
    <div class="filter-picks">
      <p class="muted">In these results</p>
      <ul>
        {picks.slice(0, MAX_PICKS).map(({ value, name, count }) => (
          <li key={value}>
            <button type="button" onClick={() => onPick(value)} title={name}>
              <span class="filter-pick">
                {value}
                {name && <small class="muted"> {name}</small>}
              </span>
              <span class="numbers muted">{formatNumber(count)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
