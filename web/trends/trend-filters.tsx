import { useState } from 'preact/hooks';
import { changeParams, place } from '../app/location.ts';
import { CATEGORY_BUCKETS } from '../parts/categories.ts';

/** Words, category and rank range, which every trend list takes. */
export function TrendFilters() {
  const { params } = place.value;
  const [query, setQuery] = useState(params.get('query') ?? '');
  const [maxRank, setMaxRank] = useState(params.get('max_rank') ?? '');
  const submit = (event: Event) => {
    event.preventDefault();
    changeParams({ query: query.trim() || null, max_rank: maxRank.trim() || null, offset: null });
  };
  return (
    <form class="trend-filters" onSubmit={submit}>
      <label class="field">
        <span>With the words</span>
        <input
          type="text"
          value={query}
          maxLength={256}
          placeholder="any"
          onInput={(event) => setQuery(event.currentTarget.value)}
          onBlur={submit}
        />
      </label>
      <label class="field">
        <span>Category</span>
        <select
          value={params.get('category') ?? ''}
          onChange={(event) => changeParams({ category: event.currentTarget.value || null, offset: null })}
        >
          <option value="">any</option>
          {CATEGORY_BUCKETS.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Rank up to</span>
        <input
          type="text"
          inputMode="numeric"
          size={9}
          value={maxRank}
          placeholder="any"
          onInput={(event) => setMaxRank(event.currentTarget.value)}
          onBlur={submit}
        />
      </label>
      <button type="submit" class="spoken">
        Apply filters
      </button>
    </form>
  );
}
