// The words and phrases of all results beside the list: what a niche is made of. It costs a search, so it is asked for by hand, and
// again by hand when the search has changed.
import { useState } from 'preact/hooks';
import { useAnswer } from '../api/use-answer.ts';
import type { Root, RootsAnswer } from '../api/wire.ts';
import { changeParams } from '../app/location.ts';
import { formatNumber } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Segmented } from '../parts/segmented.tsx';
import type { SearchState } from './search-state.ts';

/** As many as one answer has: the order and the kind are changed without another search. */
const MAX_ROOTS = 1000;
const SHOWN_AT_FIRST = 40;
const KINDS = [
  { value: '', text: 'All' },
  { value: 'word', text: 'Words' },
  { value: 'phrase', text: 'Phrases' },
] as const;
const ORDERS = [
  { value: 'terms', text: 'Keywords' },
  { value: 'best_rank', text: 'Best rank' },
  { value: 'rising', text: 'Rising' },
  { value: 'falling', text: 'Falling' },
] as const;
const NOT_FOR_ROOTS = ['page', 'limit', 'order_by', 'order_direction', 'include', 'format', 'color_threshold'];

export function rootParams({ params }: SearchState): URLSearchParams {
  const asked = new URLSearchParams(params);
  for (const name of NOT_FOR_ROOTS) asked.delete(name);
  asked.set('limit', String(MAX_ROOTS));
  return asked;
}

interface RootsPanelProps {
  readonly state: SearchState;
  readonly onClose: () => void;
}

export function RootsPanel({ state, onClose }: RootsPanelProps) {
  const now = rootParams(state).toString();
  const [asked, setAsked] = useState(now);
  const { answer, failure, reload } = useAnswer<RootsAnswer>(`/v1/search/roots?${asked}`);
  return (
    <aside class="roots panel" aria-label="Roots">
      <header class="panel-head">
        <h2>Roots</h2>
        <button type="button" class="button is-icon is-bare" aria-label="Close roots" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {asked !== now ? (
        <p>
          <button type="button" class="button is-primary" onClick={() => setAsked(now)}>
            Show those of this search
          </button>{' '}
          <span class="muted">Costs one search.</span>
        </p>
      ) : failure ? (
        <FailureNotice failure={failure} onRetry={reload} />
      ) : answer ? (
        <Roots answer={answer} state={state} />
      ) : (
        <Skeleton rows={12} height={30} />
      )}
    </aside>
  );
}

function Roots({ answer, state }: { readonly answer: RootsAnswer; readonly state: SearchState }) {
  const [kind, setKind] = useState<(typeof KINDS)[number]['value']>('');
  const [order, setOrder] = useState<(typeof ORDERS)[number]['value']>('terms');
  const [shown, setShown] = useState(SHOWN_AT_FIRST);
  const total = answer.pagination.total_count;
  if (total === 0) return <p class="muted">No words to list.</p>;
  const sign = order === 'best_rank' ? 1 : -1;
  const roots = answer.data
    .filter((root) => kind === '' || root.kind === kind)
    .toSorted((a, b) => sign * (a[order] - b[order]) || a.best_rank - b.best_rank);
  return (
    <>
      <p class="muted roots-count">
        Words and phrases in all results
        {total > answer.data.length && `, the ${formatNumber(answer.data.length)} most frequent`}. Choose one to narrow
        the search.
      </p>
      <div class="roots-bar">
        <Segmented label="Kind of root" options={KINDS} value={kind} onChange={setKind} />
        <select
          aria-label="Sort roots by"
          value={order}
          onChange={(event) =>
            setOrder(ORDERS.find(({ value }) => value === event.currentTarget.value)?.value ?? 'terms')
          }
        >
          {ORDERS.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </div>
      <table class="roots-table">
        <thead>
          <tr>
            <th scope="col">Root</th>
            <th scope="col">Keywords</th>
            <th scope="col">
              <span aria-hidden="true">▲</span>
              <span class="spoken">Rising</span>
            </th>
            <th scope="col">
              <span aria-hidden="true">▼</span>
              <span class="spoken">Falling</span>
            </th>
            <th scope="col">Best</th>
          </tr>
        </thead>
        <tbody>
          {roots.slice(0, shown).map((root) => (
            <RootLine key={root.root} root={root} state={state} />
          ))}
        </tbody>
      </table>
      {roots.length > shown && (
        <button type="button" class="button is-wide" onClick={() => setShown(shown + SHOWN_AT_FIRST)}>
          More of {formatNumber(roots.length)}
        </button>
      )}
    </>
  );
}

function RootLine({ root, state }: { readonly root: Root; readonly state: SearchState }) {
  return (
    <tr>
      <th scope="row">
        <button type="button" class="link" onClick={() => narrowBy(root.root, state)}>
          {root.root}
        </button>
      </th>
      <td>{formatNumber(root.terms)}</td>
      <td class="is-up">{root.rising === 0 ? '' : formatNumber(root.rising)}</td>
      <td class="is-down">{root.falling === 0 ? '' : formatNumber(root.falling)}</td>
      <td>{formatNumber(root.best_rank)}</td>
    </tr>
  );
}

/** Every word of a search must be in the keyword, so the root's words are added to each search that lacks them. */
function narrowBy(root: string, { queries }: SearchState): void {
  const narrowed = queries.map((query) => {
    const words = new Set(query.toLowerCase().split(/\s+/));
    return [query, ...root.split(' ').filter((word) => !words.has(word))].join(' ');
  });
  changeParams({ query: narrowed, method: null, page: null });
}
