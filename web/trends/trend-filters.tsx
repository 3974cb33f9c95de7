import { useEffect, useState } from 'preact/hooks';
import { changeParams, place } from '../app/location.ts';
import { CATEGORY_BUCKETS } from '../parts/categories.ts';
import { Icon } from '../parts/icons.tsx';
import { Chip } from '../search/filter-bar.tsx';
import { TREND_FILTERS } from './trend-params.ts';

/** Words, category and ranks, which every trend list takes. Whatever narrows the list is in sight here, and goes away here. */
export function TrendFilters() {
  const { params } = place.value;
  return (
    <div class="trend-filters">
      <TextFilter param="query" label="With the words" />
      <label class="field">
        <span>Category</span>
        <select
          value={params.getAll('category').length === 1 ? (params.get('category') ?? '') : ''}
          onChange={(event) => changeParams({ category: event.currentTarget.value || null, offset: null })}
        >
          <option value="">any</option>
          {[...new Set([...CATEGORY_BUCKETS, ...params.getAll('category')])].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <TextFilter param="min_rank" label="Rank from" isNumber />
      <TextFilter param="max_rank" label="Rank up to" isNumber />
      {/* Only an address can ask for several of a kind. */}
      {['query', 'category'].flatMap((param) => {
        const values = params.getAll(param);
        return values.length < 2
          ? []
          : values.map((value) => (
              <Chip
                key={`${param} ${value}`}
                word={param === 'query' ? 'with' : 'in'}
                text={value}
                onRemove={() => changeParams({ [param]: values.filter((each) => each !== value), offset: null })}
              />
            ));
      })}
      {hasTrendFilters() && (
        <button type="button" class="button is-bare" onClick={clearTrendFilters}>
          <Icon name="close" /> Clear filters
        </button>
      )}
    </div>
  );
}

export function hasTrendFilters(): boolean {
  return TREND_FILTERS.some((name) => place.value.params.getAll(name).some((value) => value.trim() !== ''));
}

export function clearTrendFilters(): void {
  changeParams({ ...Object.fromEntries(TREND_FILTERS.map((name) => [name, null])), offset: null });
}

interface TextFilterProps {
  readonly param: string;
  readonly label: string;
  readonly isNumber?: boolean;
}

function TextFilter({ param, label, isNumber = false }: TextFilterProps) {
  const values = place.value.params.getAll(param);
  const given = values.length === 1 ? (values[0] ?? '') : '';
  const [text, setText] = useState(given);
  useEffect(() => setText(given), [given]);
  const apply = () => text.trim() !== given && changeParams({ [param]: text.trim() || null, offset: null });
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        {...(isNumber ? { inputMode: 'numeric', size: 8 } : { maxLength: 256 })}
        value={text}
        placeholder="any"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && apply()}
        onBlur={apply}
      />
    </label>
  );
}
