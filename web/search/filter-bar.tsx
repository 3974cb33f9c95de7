// Filters as chips: what is in force is in sight, and goes away with a click.
import { useId, useState } from 'preact/hooks';
import { changeParams, place } from '../app/location.ts';
import { Icon } from '../parts/icons.tsx';
import { Popover } from '../parts/popover.tsx';
import { FilterPicks, listPicks } from './filter-picks.tsx';
import { MeasureForm, RangeForm, setBounds } from './range-forms.tsx';
import {
  BOUND_FILTERS,
  describePeriod,
  describeRange,
  EXCLUDE,
  FLAG_FILTERS,
  type FlagFilter,
  LIST_FILTERS,
  type ListFilter,
  PERIOD_FILTERS,
  RANGE_FILTERS,
  type RangeFilter,
} from './search-filters.ts';
import type { SearchState } from './search-state.ts';

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
      {PERIOD_FILTERS.flatMap(({ param, name }) =>
        params
          .getAll(param)
          .map((period) => (
            <Chip
              key={`${param} ${period}`}
              word={name.toLowerCase()}
              text={describePeriod(period, params)}
              onRemove={() => removeValue(param, period)}
            />
          )),
      )}
      {[...filters, ALSO].map((filter) => (
        <Popover
          key={filter.param}
          text={filter.name}
          icon="plus"
          title={`Add: ${filter.name}`}
          className="chip is-add"
        >
          {(close) => <ListFilterForm filter={filter} state={state} onDone={close} />}
        </Popover>
      ))}
      {BOUND_FILTERS.map((range) => (
        <Popover key={range.name} text={range.name} icon="plus" title={`Set: ${range.name}`} className="chip is-add">
          {(close) => <RangeForm range={range} onDone={close} />}
        </Popover>
      ))}
      <Popover text="More" icon="plus" title="More filters" className="chip is-add">
        {(close) => <MeasureForm state={state} onDone={close} />}
      </Popover>
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
  const text = describeRange(range, place.value.params);
  if (text === undefined) return null;
  return <Chip word={range.unit} text={text} onRemove={() => setBounds(range, [null, null])} />;
}

function removeValue(param: string, value: string): void {
  const values = place.value.params.getAll(param).filter((each) => each !== value);
  changeParams({ [param]: values, page: null });
}

interface ListFilterFormProps {
  readonly filter: ListFilter;
  readonly state: SearchState;
  readonly onDone: () => void;
}

function ListFilterForm({ filter, state, onDone }: ListFilterFormProps) {
  const [value, setValue] = useState('');
  const listId = useId();
  const picks = listPicks(filter.param, state);
  const add = (text: string) => {
    if (text === '') return;
    onDone();
    changeParams({ [filter.param]: [...new Set([...place.value.params.getAll(filter.param), text])], page: null });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    add(value.trim());
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
          list={listId}
          autocomplete="off"
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      <datalist id={listId}>
        {[...new Set([...(filter.choices ?? []), ...picks.map((pick) => pick.value)])].map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
      <button type="submit" class="button is-primary">
        Add
      </button>
      <FilterPicks picks={picks} onPick={add} />
    </form>
  );
}
