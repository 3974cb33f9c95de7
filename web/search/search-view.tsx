import { useState } from 'preact/hooks';
import { useAnswer } from '../api/use-answer.ts';
import type { SearchAnswer } from '../api/wire.ts';
import { addressOf, changeParams } from '../app/location.ts';
import { SaveSearch } from '../lists/save-search.tsx';
import { ComparisonPicker, useComparison } from '../parts/comparison.tsx';
import { CopyAs } from '../parts/copy-as.tsx';
import { ExportButton } from '../parts/export-button.tsx';
import { formatNumber } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { lazy } from '../parts/lazy.tsx';
import { NoData, useIsWithoutData } from '../parts/no-data.tsx';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Pager } from '../parts/pager.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { SuggestBox } from '../parts/suggest-box.tsx';
import { ShareButton } from '../share/share-button.tsx';
import { ColumnMenu } from './column-choice.tsx';
import { FilterBar } from './filter-bar.tsx';
import { Overview } from './overview.tsx';
import { useProductSearch } from './product-search.ts';
import { ResultGrid } from './result-grid.tsx';
import { describeFilters } from './search-filters.ts';
import { readSearchState, type SearchState } from './search-state.ts';
import { SortMenu, sortBy } from './sort-menu.tsx';
import { SpellingNote } from './spelling-note.tsx';

const RootsPanel = lazy(() => import('./roots-panel.tsx').then((part) => part.RootsPanel));

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
  const isWithoutData = useIsWithoutData(state.type);
  const products = useProductSearch(state.type);
  return (
    <div class="search-view">
      <h1 class="spoken">Keyword search</h1>
      <div class={hasQuery ? 'search-head' : 'search-head is-start'}>
        <div class="search-line">
          <SuggestBox
            label="Search keywords"
            placeholder="Search keywords, or paste ASINs"
            text={state.queries[0] ?? ''}
            type={state.type}
            className="is-main"
            isMain
            onPasted={products.summarize}
            onSubmit={(text) =>
              products.open(text) || changeParams({ query: [text, ...state.queries.slice(1)], page: null })
            }
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
          <a class="button lookup-link" href={addressOf('/lookup')} data-view>
            <Icon name="list" /> <span>Look up a list</span>
          </a>
        </div>
        {hasQuery && !isWithoutData && <FilterBar state={state} />}
      </div>
      {isWithoutData ? (
        <NoData type={state.type} />
      ) : hasQuery ? (
        <Results state={state} />
      ) : (
        <Overview type={state.type} />
      )}
    </div>
  );
}

/** A month is no week: an order by period, and a period to compare with, end with their frequency. */
function changeType(type: 'monthly' | 'weekly', { sortPeriod }: SearchState): void {
  const order = sortPeriod === undefined ? {} : { order_by: null, order_direction: null };
  const periods = { compare_to: null, first_seen_since: null };
  changeParams({ type: type === 'monthly' ? null : type, page: null, ...periods, ...order });
}

function Results({ state }: { readonly state: SearchState }) {
  const { answer, failure, isLoading, reload } = useAnswer<SearchAnswer>(`/v1/search/keywords?${state.params}`);
  const comparison = useComparison(state.type);
  const [hasRoots, setRoots] = useState(false);
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
        <ComparisonPicker comparison={comparison} />
        <div class="results-actions">
          <ColumnMenu type={state.type} />
          <button
            type="button"
            class="button"
            aria-pressed={hasRoots}
            title="Words and phrases of all results; costs one search"
            onClick={() => setRoots(!hasRoots)}
          >
            <Icon name="roots" /> <span>Roots</span>
          </button>
          <SaveSearch />
          <ShareButton thing={{ search: state.fullParams.toString() }} title={state.queries.join(', ')} />
          <ExportButton path="/v1/search/keywords" params={state.fullParams} count={pagination.total_count} />
          <CopyAs request={{ path: '/v1/search/keywords', params: state.fullParams }} />
        </div>
      </div>
      {!isLoading && <SpellingNote state={state} rows={answer.data} />}
      <div class={hasRoots ? 'results-body has-roots' : 'results-body'}>
        {hasRoots && <RootsPanel state={state} onClose={() => setRoots(false)} />}
        <div class="results-list">
          {answer.data.length === 0 ? (
            <NoResults state={state} total={pagination.total_count} />
          ) : (
            <ResultGrid
              state={state}
              comparison={comparison}
              rows={answer.data}
              subject={subjectOf(state)}
              isStale={isLoading}
              onSort={(order) => sortBy(order, state)}
            />
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
        </div>
      </div>
    </section>
  );
}

/** The search, wherever one looks in it. */
function subjectOf({ fullParams }: SearchState): string {
  const subject = new URLSearchParams(fullParams);
  for (const name of ['page', 'limit', 'order_by', 'order_direction', 'compare_to']) subject.delete(name);
  return subject.toString();
}

function NoResults({ state, total }: { readonly state: SearchState; readonly total: number }) {
  if (total > 0) {
    return (
      <EmptyNotice title="This page is past the end.">
        <p>
          <button type="button" class="button is-primary" onClick={() => changeParams({ page: null })}>
            Go to the first page
          </button>
        </p>
      </EmptyNotice>
    );
  }
  return (
    <EmptyNotice title="No keyword matches.">
      <ul>
        {state.method === 'exact' ? (
          <li>
            <button type="button" class="link" onClick={() => changeParams({ method: null, page: null })}>
              Search for similar terms
            </button>{' '}
            in place of exactly this one
          </li>
        ) : (
          <li>Use fewer words, or other ones: every word of a search must be in the keyword.</li>
        )}
        {describeFilters(state.params).length > 0 && <li>Take away filters.</li>}
      </ul>
    </EmptyNotice>
  );
}
