import { useAnswer } from '../api/use-answer.ts';
import type { Frequency, NewTermsAnswer } from '../api/wire.ts';
import { place } from '../app/location.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import type { Column } from '../parts/data-grid.tsx';
import { formatNumber, formatPeriod } from '../parts/format.ts';
import { EmptyNotice, FailureNotice, MissingNotice, Skeleton } from '../parts/notices.tsx';
import { TrendFilters } from './trend-filters.tsx';
import { TrendList } from './trend-list.tsx';
import { trendParams } from './trend-params.ts';

const DEFAULT_ORDER = 'current_rank';
const COLUMNS: readonly Column<NewTermsAnswer['data'][number]>[] = [
  {
    id: 'current',
    title: 'Rank',
    align: 'right',
    order: 'current_rank',
    cell: (row) => <b>{formatNumber(row.current_rank)}</b>,
  },
];

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
          <TrendList
            label="New terms"
            className="new-grid"
            type={type}
            page={answer}
            columns={COLUMNS}
            rowHeight={{ wide: 40, narrow: 48 }}
            sort={sort}
            defaultOrder={DEFAULT_ORDER}
            isStale={isLoading}
          >
            <EmptyNotice title="No new terms.">
              <p>Every keyword of the newest period was there before, or the filters leave none.</p>
            </EmptyNotice>
          </TrendList>
        </>
      )}
    </>
  );
}
