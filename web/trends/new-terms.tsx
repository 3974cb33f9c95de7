import { useAnswer } from '../api/use-answer.ts';
import type { Frequency, NewTermsAnswer } from '../api/wire.ts';
import { place } from '../app/location.ts';
import { formatNumber, formatPeriod } from '../parts/format.ts';
import { FailureNotice, MissingNotice, Skeleton } from '../parts/notices.tsx';
import type { TrendColumn } from './trend-column.ts';
import { TrendFilters } from './trend-filters.tsx';
import { TrendList } from './trend-list.tsx';
import { trendParams } from './trend-params.ts';
import { subjectOf, TrendTools } from './trend-tools.tsx';

const PATH = '/v1/trends/new';
const DEFAULT_ORDER = 'current_rank';
const COLUMNS: readonly TrendColumn<NewTermsAnswer['data'][number]>[] = [
  {
    id: 'current',
    track: '110px',
    title: 'Rank',
    align: 'right',
    order: 'current_rank',
    cell: (row) => <b>{formatNumber(row.current_rank)}</b>,
  },
];

export function NewTerms({ type }: { readonly type: Frequency }) {
  const params = trendParams(type, ['order_by', 'order_direction']);
  const { answer, failure, isLoading, reload } = useAnswer<NewTermsAnswer>(`${PATH}?${params}`);
  const sort = {
    order: place.value.params.get('order_by') ?? DEFAULT_ORDER,
    isDescending: place.value.params.get('order_direction') === 'DESC',
  };
  if (failure?.status === 404) return <MissingNotice what="The list of new terms is" />;
  return (
    <>
      <div class="trend-bar">
        <TrendFilters />
        <TrendTools path={PATH} params={params} type={type} page={answer} />
      </div>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!answer && !failure && <Skeleton rows={14} />}
      {answer && !failure && (
        <>
          <p class="trend-count" role="status">
            <b>{formatNumber(answer.pagination.total_count)}</b> keywords for the first time
            <span class="muted"> {describeSpan(answer, type)}</span>
          </p>
          <TrendList
            label="New terms"
            className="new-grid"
            type={type}
            page={answer}
            columns={COLUMNS}
            subject={subjectOf(PATH, params)}
            rowHeight={{ wide: 40, narrow: 48 }}
            sort={sort}
            defaultOrder={DEFAULT_ORDER}
            isStale={isLoading}
            emptyTitle="No new terms."
          >
            <p>Every keyword of the newest period was there before.</p>
          </TrendList>
        </>
      )}
    </>
  );
}

function describeSpan({ periods: { oldest, current } }: NewTermsAnswer, type: Frequency): string {
  if (current === '') return '';
  if (oldest === current) return `in ${formatPeriod(current, type)}, before which there is no report`;
  return `in ${formatPeriod(current, type)}; reports begin with ${formatPeriod(oldest, type)}`;
}
