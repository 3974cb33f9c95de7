// Filters as chips: what is in force is in sight, and goes away with a click.
import { useId, useState } from 'preact/hooks';
import { changeParams, place } from '../app/location.ts';
import { formatNumber } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Popover } from '../parts/popover.tsx';
import {
  FLAG_FILTERS,
  type FlagFilter,
  LIST_FILTERS,
  type ListFilter,
  RANGE_FILTERS,
  type RangeFilter,
} from './search-filters.ts';
import type { SearchState } from './search-state.ts';

/** What stands beside the filters: words to leave out, and another search. */
const EXCLUDE: ListFilter = {
  param: 'exclude_query',
  name: 'Exclude',
  word: 'without',
  placeholder: 'Words to leave out',
};
/** The first query stands in the search box. */
const ALSO: ListFilter = { param: 'query', name: 'Or', word: 'or', placeholder: 'Another search' };

export function FilterBar({ state }: { readonly state: SearchState }) {
  const { params } = place.value;
  const filters = state.method === 'exact' ? LIST_FILTERS : [...LIST_FILTERS, EXCLUDE];
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
      {RANGE_FILTERS.map((range) => (
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
      {RANGE_FILTERS.map((range) => (
        <Popover key={range.name} text={range.name} icon="plus" title={`Set: ${range.name}`} className="chip is-add">
          {(close) => <RangeForm range={range} onDone={close} />}
        </Popover>
      ))}
      {FLAG_FILTERS.map((filter) => (
        <FlagChip key={filter.param} filter={filter} isOn={params.get(filter.param) === 'true'} />
      ))}
    </div>
  );
}

function FlagChip({ filter, isOn }: { readonly filter: FlagFilter; readonly isOn: boolean }) {
  return (
    <button
      type="button"
      class="chip is-add"
      aria-pressed={isOn}
      title={filter.hint}
      onClick={() => changeParams({ [filter.param]: isOn ? null : 'true', page: null })}
    >
      <Icon name={isOn ? 'check' : 'plus'} />
      <span>{filter.name}</span>
    </button>
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
  const [min, max] = boundsOf(range);
  if (!min && !max) return null;
  const text = min && max ? `${show(min)}–${show(max)}` : min ? `from ${show(min)}` : `up to ${show(max ?? '')}`;
  const onRemove = () => setBounds(range, [null, null]);
  return <Chip word={range.unit} text={text} onRemove={onRemove} />;
}

function boundsOf({ min, max }: RangeFilter): readonly (string | null)[] {
  return [min, max].map((name) => (name === undefined ? null : place.value.params.get(name)));
}

function setBounds({ min, max }: RangeFilter, [from, to]: readonly [string | null, string | null]): void {
  changeParams({ ...(min && { [min]: from }), ...(max && { [max]: to }), page: null });
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
  const [from, to] = boundsOf(range);
  const [min, setMin] = useState(from ?? '');
  const [max, setMax] = useState(to ?? '');
  const submit = (event: Event) => {
    event.preventDefault();
    onDone();
    setBounds(range, [min.trim() || null, max.trim() || null]);
  };
  return (
    <form class="filter-form is-range" onSubmit={submit}>
      {range.min && <BoundField label={`${range.name} from`} value={min} onInput={setMin} />}
      {range.max && <BoundField label={range.min ? 'to' : `${range.name} up to`} value={max} onInput={setMax} />}
      <button type="submit" class="button is-primary">
        Apply
      </button>
    </form>
  );
}

interface BoundFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function BoundField({ label, value, onInput }: BoundFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        inputMode="numeric"
        size={8}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}
