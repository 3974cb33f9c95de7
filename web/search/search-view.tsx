import { useAnswer } from '../api/use-answer.ts';
import type { SearchAnswer } from '../api/wire.ts';
import { changeParams } from '../app/location.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { formatNumber } from '../parts/format.ts';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Pager } from '../parts/pager.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { SuggestBox } from '../parts/suggest-box.tsx';
import { ExportButton } from './export-button.tsx';
import { FilterBar } from './filter-bar.tsx';
import { Overview } from './overview.tsx';
import { ResultGrid } from './result-grid.tsx';
import { readSearchState, type SearchState } from './search-state.ts';
import { SortMenu } from './sort-menu.tsx';

const METHODS = [
  { value: 'similar', text: 'Similar' },
  { value: 'exact', text: 'Exact' },
] as const;
const TYPES = [
  { value: 'monthly', text: 'Monthly' },
  { value: 'weekly', text: 'Weekly' },
] as const;

export function SearchView() {
  const state = readSearchState();
  const hasQuery = state.queries.length > 0;
  return (
    <div class="search-view">
      <h1 class="spoken">Keyword search</h1>
      <div class={hasQuery ? 'search-head' : 'search-head is-start'}>
        <div class="search-line">
          <SuggestBox
            label="Search keywords"
            placeholder="Search keywords, for example running shoes"
            text={state.queries[0] ?? ''}
            type={state.type}
            className="is-main"
            isMain
            onSubmit={(text) => changeParams({ query: [text, ...state.queries.slice(1)], page: null })}
          />
          <Segmented
            label="Method"
            options={METHODS}
            value={state.method}
            onChange={(method) => changeParams({ method: method === 'similar' ? null : method, page: null })}
          />
          <Segmented
            label="Frequency"
            options={TYPES}
            value={state.type}
            onChange={(type) => changeType(type, state)}
          />
        </div>
        {hasQuery && <FilterBar state={state} />}
      </div>
      {hasQuery ? <Results state={state} /> : <Overview type={state.type} />}
    </div>
  );
}

/** A month is no week: an order by period ends with its frequency. */
function changeType(type: 'monthly' | 'weekly', { sortPeriod }: SearchState): void {
  const order = sortPeriod === undefined ? {} : { order_by: null, order_direction: null };
  changeParams({ type: type === 'monthly' ? null : type, page: null, ...order });
}

function Results({ state }: { readonly state: SearchState }) {
  const { answer, failure, isLoading, reload } = useAnswer<SearchAnswer>(`/v1/search/keywords?${state.params}`);
  if (failure) return <FailureNotice failure={failure} onRetry={reload} />;
  if (!answer) return <Skeleton rows={14} height={40} />;
  const { pagination } = answer;
  return (
    <section class="results" aria-label="Results">
      <div class="results-bar">
        <p class="results-count" role="status">
          <b>{formatNumber(pagination.total_count)}</b> {pagination.total_count === 1 ? 'keyword' : 'keywords'}
          {isLoading && <span class="muted"> · searching …</span>}
        </p>
        <SortMenu state={state} />
        <div class="results-actions">
          <ExportButton state={state} count={pagination.total_count} />
          <CopyAs request={{ path: '/v1/search/keywords', params: state.params }} />
        </div>
      </div>
      {answer.data.length === 0 ? (
        <NoResults state={state} />
      ) : (
        <ResultGrid state={state} rows={answer.data} isStale={isLoading} />
      )}
      {pagination.total_count > 0 && (
        <Pager
          pagination={pagination}
          onPage={(page) => {
            changeParams({ page: page === 1 ? null : String(page) });
            window.scrollTo(0, 0);
          }}
          onPageSize={(size) => changeParams({ limit: String(size), page: null })}
        />
      )}
    </section>
  );
}

function NoResults({ state }: { readonly state: SearchState }) {
  const isPast = Number(state.params.get('page') ?? 1) > 1;
  return (
    <EmptyNotice title={isPast ? 'This page is past the end.' : 'No keyword matches.'}>
      <ul>
        {isPast && (
          <li>
            <button type="button" class="link" onClick={() => changeParams({ page: null })}>
              Go to the first page
            </button>
          </li>
        )}
        {state.method === 'exact' && (
          <li>
            <button type="button" class="link" onClick={() => changeParams({ method: null, page: null })}>
              Search for similar terms
            </button>{' '}
            in place of exactly this one
          </li>
        )}
        <li>Use fewer words: every word of a search must be in the keyword.</li>
        <li>Take away filters.</li>
      </ul>
    </EmptyNotice>
  );
}
