// Bounds to set: of one thing, or of everything that is computed from ranks and shares.
import { useState } from 'preact/hooks';
import { changeParams, place } from '../app/location.ts';
import { formatPeriod } from '../parts/format.ts';
import { usePeriods } from '../parts/periods.ts';
import { boundsOf, MEASURE_FILTERS, type RangeFilter } from './search-filters.ts';
import type { SearchState } from './search-state.ts';

export function setBounds({ min, max }: RangeFilter, [from, to]: readonly [string | null, string | null]): void {
  changeParams({ ...(min && { [min]: from }), ...(max && { [max]: to }), page: null });
}

export function RangeForm({ range, onDone }: { readonly range: RangeFilter; readonly onDone: () => void }) {
  const [from, to] = boundsOf(range, place.value.params);
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

/** What is computed from ranks and shares, all in one form. */
export function MeasureForm({ state, onDone }: { readonly state: SearchState; readonly onDone: () => void }) {
  const { params } = place.value;
  const periods = usePeriods(state.type).toReversed();
  const names = [...MEASURE_FILTERS.flatMap(({ min, max }) => [min ?? [], max ?? []].flat()), 'first_seen_since'];
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(names.map((name) => [name, params.get(name) ?? ''])),
  );
  const set = (name: string) => (value: string) => setValues((before) => ({ ...before, [name]: value }));
  const submit = (event: Event) => {
    event.preventDefault();
    onDone();
    const entries = names.map((name) => [name, values[name]?.trim().replace('−', '-') || null] as const);
    changeParams({ ...Object.fromEntries(entries), page: null });
  };
  return (
    <form class="filter-form measure-form" onSubmit={submit}>
      {MEASURE_FILTERS.map(({ name, min, max }) => (
        <fieldset key={name}>
          <legend>{name}</legend>
          {min && <BoundField label="from" value={values[min] ?? ''} onInput={set(min)} />}
          {max && <BoundField label="to" value={values[max] ?? ''} onInput={set(max)} />}
        </fieldset>
      ))}
      <label class="field">
        <span>First seen since</span>
        <select
          value={values.first_seen_since}
          onChange={(event) => set('first_seen_since')(event.currentTarget.value)}
        >
          <option value="">any time</option>
          {periods.map(({ period }) => (
            <option key={period} value={period}>
              {formatPeriod(period, state.type)}
            </option>
          ))}
        </select>
      </label>
      <p class="muted">Up counts as more than 0. Concentration is in percent; conversion to click around 1.</p>
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
