// Tracked keywords, narrowed and put together by list. What is chosen stands in the address.
import type { ComponentChildren } from 'preact';
import type { KeywordList, TrackedKeyword } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { AddToList } from '../lists/add-to-list.tsx';
import { useLists } from '../lists/known-lists.ts';
import { formatNumber } from '../parts/format.ts';
import { sortOf } from './row-order.ts';
import { RowOrderMenu } from './row-order-menu.tsx';
import { TrackedGrid, type TrackedGridProps } from './tracked-grid.tsx';
import { loadTracked } from './tracked-terms.ts';

const STATES = [
  { value: '', text: 'All' },
  { value: 'alert', text: 'With an alert' },
  { value: 'no-alert', text: 'Without an alert' },
  { value: 'paused', text: 'Paused' },
] as const;
const ORDERS = {
  term: 'Keyword',
  latest: 'Latest rank',
  change: 'Change',
  best: 'Best rank',
  average: 'Average',
  rule: 'Alert',
};
/** In the address, for keywords that no list has. */
const NO_LIST = 'none';

export function TrackedTable({ keywords, comparison }: Omit<TrackedGridProps, 'label'>) {
  const lists = useLists() ?? [];
  const { params } = place.value;
  const shown = narrow(keywords, params);
  const groups = params.get('group') === 'list' ? groupByList(shown, lists) : undefined;
  return (
    <>
      <TrackedFilters lists={lists} params={params}>
        <AddToList
          items={shown.map(({ search_term: term }) => ({ search_term: term.original_term }))}
          onDone={loadTracked}
        />
      </TrackedFilters>
      {shown.length < keywords.length && (
        <p class="muted" role="status">
          {formatNumber(shown.length)} of {formatNumber(keywords.length)} keywords.{' '}
          <button type="button" class="link" onClick={() => changeParams({ filter: null, state: null, list: null })}>
            Show all
          </button>
        </p>
      )}
      {!groups && <TrackedGrid label="Tracked keywords" keywords={shown} comparison={comparison} />}
      {groups?.map(({ name, members }) => (
        <section key={name} class="tracked-group" aria-label={name}>
          <h2>
            {name} <span class="muted numbers">{formatNumber(members.length)}</span>
          </h2>
          <TrackedGrid label={`Tracked keywords: ${name}`} keywords={members} comparison={comparison} />
        </section>
      ))}
    </>
  );
}

interface TrackedFiltersProps {
  readonly lists: readonly KeywordList[];
  readonly params: URLSearchParams;
  readonly children: ComponentChildren;
}

function TrackedFilters({ lists, params, children }: TrackedFiltersProps) {
  const set = (name: string) => (event: { readonly currentTarget: { readonly value: string } }) =>
    changeParams({ [name]: event.currentTarget.value || null }, { replaces: true });
  return (
    <div class="tracked-filters">
      <input
        type="search"
        aria-label="Words in the keyword or its notes"
        placeholder="Filter"
        value={params.get('filter') ?? ''}
        onInput={set('filter')}
      />
      <select aria-label="Show" value={params.get('state') ?? ''} onChange={set('state')}>
        {STATES.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <select aria-label="List" value={params.get('list') ?? ''} onChange={set('list')}>
        <option value="">Every list</option>
        {lists.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        <option value={NO_LIST}>In no list</option>
      </select>
      <label class="check">
        <input
          type="checkbox"
          checked={params.get('group') === 'list'}
          onChange={(event) => changeParams({ group: event.currentTarget.checked ? 'list' : null }, { replaces: true })}
        />
        <span>Group by list</span>
      </label>
      <RowOrderMenu sort={sortOf('')} texts={ORDERS} />
      {children}
    </div>
  );
}

function narrow(keywords: readonly TrackedKeyword[], params: URLSearchParams): readonly TrackedKeyword[] {
  const words = (params.get('filter') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const [state, list] = [params.get('state'), params.get('list')];
  return keywords.filter((each) => {
    const text = `${each.search_term.original_term} ${each.notes}`.toLowerCase();
    const isOfState =
      state === 'alert'
        ? each.priority_enabled
        : state === 'no-alert'
          ? !each.priority_enabled
          : state !== 'paused' || !each.is_active;
    const isOfList = list === null || (list === NO_LIST ? each.list_ids.length === 0 : each.list_ids.includes(list));
    return isOfState && isOfList && words.every((word) => text.includes(word));
  });
}

interface Group {
  readonly name: string;
  readonly members: readonly TrackedKeyword[];
}

/** A keyword of several lists stands in each of them. */
function groupByList(keywords: readonly TrackedKeyword[], lists: readonly KeywordList[]): readonly Group[] {
  const groups = lists.map(({ id, name }) => ({
    name,
    members: keywords.filter(({ list_ids: ids }) => ids.includes(id)),
  }));
  const rest = keywords.filter(({ list_ids: ids }) => ids.length === 0);
  return [...groups, { name: 'In no list', members: rest }].filter(({ members }) => members.length > 0);
}
