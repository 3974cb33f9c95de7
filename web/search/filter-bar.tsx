// Filters as chips: what is in force is in sight, and goes away with a click.
import { useId, useState } from 'preact/hooks';
import { changeParams, place } from '../app/location.ts';
import { CATEGORY_BUCKETS } from '../parts/categories.ts';
import { formatNumber } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Popover } from '../parts/popover.tsx';
import type { SearchState } from './search-state.ts';

interface ListFilter {
  readonly param: string;
  readonly name: string;
  /** Before the value on a chip. */
  readonly word: string;
  readonly placeholder: string;
  readonly choices?: readonly string[];
}

const LIST_FILTERS: readonly ListFilter[] = [
  { param: 'brand', name: 'Brand', word: 'brand', placeholder: 'for example Anker' },
  {
    param: 'category',
    name: 'Category',
    word: 'in',
    placeholder: 'Choose or type a category',
    choices: CATEGORY_BUCKETS,
  },
  { param: 'product', name: 'ASIN', word: 'ASIN', placeholder: 'for example B0CHX1W1XY' },
  { param: 'exclude_query', name: 'Exclude', word: 'without', placeholder: 'Words to leave out' },
];
/** The first query stands in the search box. */
const ALSO: ListFilter = { param: 'query', name: 'Or', word: 'or', placeholder: 'Another search' };

interface RangeFilter {
  readonly min: string;
  readonly max: string;
  readonly name: string;
  readonly unit: string;
}

const RANGES: readonly RangeFilter[] = [
  { min: 'min_rank', max: 'max_rank', name: 'Rank', unit: 'rank' },
  { min: 'min_words', max: 'max_words', name: 'Words', unit: 'words' },
];

export function FilterBar({ state }: { readonly state: SearchState }) {
  const { params } = place.value;
  const isNewestOnly = params.get('exclude_nulls') === 'true';
  const filters =
    state.method === 'exact' ? LIST_FILTERS.filter(({ param }) => param !== 'exclude_query') : LIST_FILTERS;
  return (
    <div class="filters">
      {state.queries.slice(1).map((query) => (
        <Chip key={`or ${query}`} word="or" text={query} onRemove={() => removeValue('query', query)} />
      ))}
      {filters.flatMap(({ param, word }) =>
        params
          .getAll(param)
          .map((value) => (
            <Chip key={`${param} ${value}`} word={word} text={value} onRemove={() => removeValue(param, value)} />
          )),
      )}
      {RANGES.map((range) => (
        <RangeChip key={range.name} range={range} />
      ))}
      {[...filters, ALSO].map((filter) => (
        <Popover
          key={filter.param}
          text={filter.name}
          icon="plus"
          title={`Add: ${filter.name}`}
          className="chip is-add"
        >
          {(close) => <ListFilterForm filter={filter} onDone={close} />}
        </Popover>
      ))}
      {RANGES.map((range) => (
        <Popover key={range.name} text={range.name} icon="plus" title={`Set: ${range.name}`} className="chip is-add">
          {(close) => <RangeForm range={range} onDone={close} />}
        </Popover>
      ))}
      <button
        type="button"
        class="chip is-add"
        aria-pressed={isNewestOnly}
        title="Only keywords that have a rank in the newest period"
        onClick={() => changeParams({ exclude_nulls: isNewestOnly ? null : 'true', page: null })}
      >
        <Icon name={isNewestOnly ? 'check' : 'plus'} />
        <span>Newest only</span>
      </button>
    </div>
  );
}

interface ChipProps {
  readonly word: string;
  readonly text: string;
  readonly onRemove: () => void;
}

export function Chip({ word, text, onRemove }: ChipProps) {
  return (
    <span class="chip">
      <span class="chip-word">{word}</span> <span class="chip-text">{text}</span>
      <button type="button" aria-label={`Remove: ${word} ${text}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}

function RangeChip({ range }: { readonly range: RangeFilter }) {
  const [min, max] = [place.value.params.get(range.min), place.value.params.get(range.max)];
  if (!min && !max) return null;
  const text = min && max ? `${show(min)}–${show(max)}` : min ? `from ${show(min)}` : `up to ${show(max ?? '')}`;
  const onRemove = () => changeParams({ [range.min]: null, [range.max]: null, page: null });
  return <Chip word={range.unit} text={text} onRemove={onRemove} />;
}

function show(value: string): string {
  return Number.isNaN(Number(value)) ? value : formatNumber(Number(value));
}

function removeValue(param: string, value: string): void {
  const values = place.value.params.getAll(param).filter((each) => each !== value);
  changeParams({ [param]: values, page: null });
}

function ListFilterForm({ filter, onDone }: { readonly filter: ListFilter; readonly onDone: () => void }) {
  const [value, setValue] = useState('');
  const listId = useId();
  const submit = (event: Event) => {
    event.preventDefault();
    const text = value.trim();
    if (text === '') return;
    onDone();
    changeParams({ [filter.param]: [...new Set([...place.value.params.getAll(filter.param), text])], page: null });
  };
  return (
    <form class="filter-form" onSubmit={submit}>
      <label class="field">
        <span>{filter.name}</span>
        <input
          type="text"
          value={value}
          maxLength={256}
          placeholder={filter.placeholder}
          {...(filter.choices ? { list: listId } : {})}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      {filter.choices && (
        <datalist id={listId}>
          {filter.choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      <button type="submit" class="button is-primary">
        Add
      </button>
    </form>
  );
}

function RangeForm({ range, onDone }: { readonly range: RangeFilter; readonly onDone: () => void }) {
  const [min, setMin] = useState(place.value.params.get(range.min) ?? '');
  const [max, setMax] = useState(place.value.params.get(range.max) ?? '');
  const submit = (event: Event) => {
    event.preventDefault();
    onDone();
    changeParams({ [range.min]: min.trim() || null, [range.max]: max.trim() || null, page: null });
  };
  return (
    <form class="filter-form is-range" onSubmit={submit}>
      <label class="field">
        <span>{range.name} from</span>
        <input
          type="text"
          inputMode="numeric"
          size={8}
          value={min}
          onInput={(event) => setMin(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        <span>to</span>
        <input
          type="text"
          inputMode="numeric"
          size={8}
          value={max}
          onInput={(event) => setMax(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button is-primary">
        Apply
      </button>
    </form>
  );
}
