import { useAnswer } from '../api/use-answer.ts';
import type { Frequency, NewTermsAnswer } from '../api/wire.ts';
import { changeParams, navigate, place } from '../app/location.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { type Column, DataGrid } from '../parts/data-grid.tsx';
import { formatNumber, formatPeriod } from '../parts/format.ts';
import { EmptyNotice, FailureNotice, MissingNotice, Skeleton } from '../parts/notices.tsx';
import { Pager } from '../parts/pager.tsx';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { Star } from '../tracked/star.tsx';
import { toggleTracked } from '../tracked/tracked-terms.ts';
import { TrendFilters } from './trend-filters.tsx';
import { goToPage, sortTrend, trendParams } from './trend-params.ts';

const DEFAULT_ORDER = 'current_rank';

export function NewTerms({ type }: { readonly type: Frequency }) {
  const params = trendParams(type, ['order_by', 'order_direction']);
  const { answer, failure, isLoading, reload } = useAnswer<NewTermsAnswer>(`/v1/trends/new?${params}`);
  const sort = {
    order: place.value.params.get('order_by') ?? DEFAULT_ORDER,
    isDescending: place.value.params.get('order_direction') === 'DESC',
  };
  if (failure?.status === 404) return <MissingNotice what="The list of new terms is" />;
  return (
    <>
      <div class="trend-bar">
        <TrendFilters />
        <CopyAs request={{ path: '/v1/trends/new', params }} />
      </div>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!answer && !failure && <Skeleton rows={14} />}
      {answer && !failure && (
        <>
          <p class="trend-count" role="status">
            <b>{formatNumber(answer.pagination.total_count)}</b> keywords for the first time
            {answer.periods.current && (
              <span class="muted">
                {' '}
                in {formatPeriod(answer.periods.current, type)}, not since {formatPeriod(answer.periods.oldest, type)}
              </span>
            )}
          </p>
          {answer.data.length === 0 ? (
            <EmptyNotice title="No new terms.">
              <p>Every keyword of the newest period was there before, or the filters leave none.</p>
            </EmptyNotice>
          ) : (
            <DataGrid
              label="New terms"
              className="new-grid"
              columns={columnsOf(type)}
              rows={answer.data}
              keyOf={(row) => row.query}
              rowHeight={{ wide: 40, narrow: 48 }}
              sort={sort}
              onSort={(field) => sortTrend(field, { ...sort, defaults: DEFAULT_ORDER })}
              onOpen={(row) => navigate(addressOfKeyword(row.query, { type }))}
              onKey={(key, row) => key === 't' && toggleTracked(row.query)}
              isStale={isLoading}
            />
          )}
          <Pager
            pagination={answer.pagination}
            onPage={(page) => goToPage(page, answer.pagination)}
            onPageSize={(size) => changeParams({ limit: String(size), offset: null })}
          />
        </>
      )}
    </>
  );
}

function columnsOf(type: Frequency): readonly Column<NewTermsAnswer['data'][number]>[] {
  return [
    { id: 'star', title: <span class="spoken">Track</span>, cell: (row) => <Star term={row.query} /> },
    {
      id: 'term',
      title: 'Keyword',
      order: 'query',
      cell: (row) => (
        <a href={addressOfKeyword(row.query, { type })} data-view tabIndex={-1} title={row.query}>
          {row.query}
        </a>
      ),
    },
    {
      id: 'current',
      title: 'Rank',
      align: 'right',
      order: 'current_rank',
      cell: (row) => <b>{formatNumber(row.current_rank)}</b>,
    },
  ];
}
