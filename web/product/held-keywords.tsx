// The keywords of a product or a brand in a period: those that it holds, won and lost, since when.
import { pathOf } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { Frequency, HeldAnswer, HeldKeyword, HolderData } from '../api/wire.ts';
import { changeParams, navigate, place } from '../app/location.ts';
import { type Column, DataGrid } from '../parts/data-grid.tsx';
import { ExportButton } from '../parts/export-button.tsx';
import { formatNumber, formatPercent, formatPeriod, formatPeriodShort } from '../parts/format.ts';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Pager } from '../parts/pager.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { Star } from '../tracked/star.tsx';
import { toggleTracked } from '../tracked/tracked-terms.ts';
import { type Holder, listParams, requestFor } from './holder.ts';
import { Place } from './holder-facts.tsx';
import { ListFilters } from './list-filters.tsx';

const STATUSES = [
  { value: 'held', text: 'Held' },
  { value: 'entered', text: 'Entered' },
  { value: 'left', text: 'Left' },
  { value: 'all', text: 'All' },
] as const;
type Status = (typeof STATUSES)[number]['value'];
const ROW_HEIGHT = { wide: 40, narrow: 88 };
/** The service's own: the best first. */
const DESCENDING = new Set(['click_share', 'conversion_share', 'share_change']);

interface HeldKeywordsProps {
  readonly holder: Holder;
  readonly data: HolderData;
  readonly type: Frequency;
}

export function HeldKeywords({ holder, data, type }: HeldKeywordsProps) {
  const params = listParams(['status', 'order_by'], type);
  const request = requestFor(holder, '/keywords', params);
  const { answer, failure, isLoading, reload } = useAnswer<HeldAnswer>(pathOf(request));
  const status = STATUSES.find(({ value }) => value === params.get('status'))?.value ?? 'held';
  return (
    <section aria-label="Keywords">
      <div class="results-bar list-bar">
        <p class="results-count" role="status">
          <b>{formatNumber(answer?.pagination.total_count ?? 0)}</b>{' '}
          {answer?.pagination.total_count === 1 ? 'keyword' : 'keywords'}
          {answer && <span class="muted"> · {describe(status, answer.periods, type)}</span>}
        </p>
        <Segmented
          label="Status"
          options={namedWithCounts(data, params.has('period'))}
          value={status}
          onChange={(value) => changeParams({ status: value === 'held' ? null : value, page: null })}
        />
        <ListFilters type={type} />
        <ExportButton {...request} count={answer?.pagination.total_count ?? 0} />
      </div>
      {failure && <FailureNotice failure={failure} onRetry={reload} />}
      {!answer && !failure && <Skeleton rows={10} height={40} />}
      {answer && !failure && <HeldList answer={answer} {...{ type, params, isLoading, status, kind: holder.kind }} />}
    </section>
  );
}

/** Counts are known of the newest period alone. */
function namedWithCounts({ entered, left }: HolderData, isOfAnotherPeriod: boolean) {
  const counts: Readonly<Record<string, number | null>> = isOfAnotherPeriod ? {} : { entered, left };
  return STATUSES.map(({ value, text }) => {
    const count = counts[value];
    return { value, text: count ? `${text} ${formatNumber(count)}` : text };
  });
}

function describe(status: Status, { previous, current }: HeldAnswer['periods'], type: Frequency): string {
  const [now, before] = [current, previous].map((period) => (period ? formatPeriod(period, type) : ''));
  const since = before ? `, not in ${before}` : '';
  const texts: Readonly<Record<Status, string>> = {
    held: `in the top three in ${now}`,
    entered: `in the top three in ${now}${since}`,
    left: before
      ? `in the top three in ${before}, no longer in ${now}`
      : 'there is no period before to have left since',
    all: `in the top three in ${now}${before ? ` or ${before}` : ''}`,
  };
  return texts[status];
}

interface HeldListProps {
  readonly answer: HeldAnswer;
  readonly type: Frequency;
  readonly params: URLSearchParams;
  readonly isLoading: boolean;
  readonly status: Status;
  readonly kind: Holder['kind'];
}

function HeldList({ answer, type, params, isLoading, status, kind }: HeldListProps) {
  const order = params.get('order_by') ?? 'search_rank';
  const direction = params.get('order_direction')?.toLowerCase();
  const sort = { order, isDescending: direction ? direction === 'desc' : DESCENDING.has(order) };
  const sortBy = (field: string) => {
    const isDescending = field === order ? !sort.isDescending : DESCENDING.has(field);
    changeParams({
      order_by: field === 'search_rank' ? null : field,
      order_direction: isDescending === DESCENDING.has(field) ? null : isDescending ? 'desc' : 'asc',
      page: null,
    });
  };
  if (answer.data.length === 0) return <NoKeywords status={status} />;
  return (
    <>
      <DataGrid
        label="Keywords"
        className={kind === 'product' ? 'held-grid' : 'held-grid is-brand'}
        columns={columnsOf(kind, { type, periods: answer.periods })}
        rows={answer.data}
        keyOf={(row) => row.search_term}
        rowHeight={ROW_HEIGHT}
        sort={sort}
        onSort={sortBy}
        onOpen={(row) => navigate(addressOfKeyword(row.search_term, { type }))}
        onKey={(key, row) => key === 't' && toggleTracked(row.search_term)}
        isStale={isLoading}
      />
      <Pager
        pagination={answer.pagination}
        onPage={(page) => changeParams({ page: page === 1 ? null : String(page) })}
        onPageSize={(size) => changeParams({ limit: String(size), page: null })}
      />
    </>
  );
}

function NoKeywords({ status }: { readonly status: Status }) {
  const { params } = place.value;
  if (Number(params.get('page') ?? 1) > 1 || params.has('query')) {
    return (
      <EmptyNotice title={params.has('query') ? 'No keyword of it has these words.' : 'This page is past the end.'}>
        <p>
          <button type="button" class="link" onClick={() => changeParams({ page: null, query: null })}>
            Show all
          </button>
        </p>
      </EmptyNotice>
    );
  }
  const titles: Readonly<Record<Status, string>> = {
    held: 'It is among the top three of no keyword in this period.',
    entered: 'It entered the top three of no keyword.',
    left: 'It left the top three of no keyword.',
    all: 'It is among the top three of no keyword in this period and the one before.',
  };
  return (
    <EmptyNotice title={titles[status]}>
      <p>Choose another period or status above.</p>
    </EmptyNotice>
  );
}

interface ColumnOptions {
  readonly type: Frequency;
  readonly periods: HeldAnswer['periods'];
}

function columnsOf(kind: Holder['kind'], { type, periods }: ColumnOptions): readonly Column<HeldKeyword>[] {
  const shares: readonly Column<HeldKeyword>[] = [
    { id: 'clicks', title: 'Clicks', align: 'right', order: 'click_share', cell: (row) => percent(row.click_share) },
    {
      id: 'move',
      title: 'Change',
      align: 'right',
      order: 'share_change',
      cell: (row) => <ShareChange value={row.share_change} />,
    },
    {
      id: 'conversions',
      title: 'Conversions',
      align: 'right',
      order: 'conversion_share',
      cell: (row) => percent(row.conversion_share),
    },
  ];
  return [
    { id: 'star', title: <span class="spoken">Track</span>, cell: (row) => <Star term={row.search_term} /> },
    {
      id: 'term',
      title: 'Keyword',
      cell: ({ search_term: term }) => (
        <a href={addressOfKeyword(term, { type })} data-view tabIndex={-1} title={term}>
          {term}
        </a>
      ),
    },
    {
      id: 'latest',
      title: 'Rank',
      align: 'right',
      order: 'search_rank',
      cell: ({ search_rank: rank }) => (rank === null ? <span class="muted">–</span> : formatNumber(rank)),
    },
    {
      id: 'place',
      title: 'Place',
      order: 'place',
      cell: (row) => <Standing row={row} hasBefore={periods.previous !== ''} />,
    },
    ...(kind === 'product' ? shares : []),
    { id: 'since', title: 'Since', order: 'since', cell: ({ since }) => formatPeriodShort(since, type) },
  ];
}

function percent(value: number | null | undefined) {
  return value == null ? <span class="muted">–</span> : formatPercent(value);
}

/** The place, and what became of it since the period before. */
function Standing({ row, hasBefore }: { readonly row: HeldKeyword; readonly hasBefore: boolean }) {
  const { place: now, previous_place: before } = row;
  if (now === null) {
    return (
      <span class="standing">
        <span class="status-mark is-left">left</span> <span class="muted">was {before}</span>
      </span>
    );
  }
  const text = !hasBefore ? '' : before === null ? 'entered' : before === now ? '' : `was ${before}`;
  return (
    <span class="standing">
      <Place value={now} />
      {text === 'entered' ? <span class="status-mark is-entered">entered</span> : <span class="muted">{text}</span>}
    </span>
  );
}

/** In percentage points. */
function ShareChange({ value }: { readonly value: number | null | undefined }) {
  if (value == null) return <span class="muted">–</span>;
  const tone = value > 0 ? 'is-up' : value < 0 ? 'is-down' : '';
  return (
    <span class={`change ${tone}`} title="Percentage points of clicks since the period before">
      <span class="change-arrow" aria-hidden="true">
        {value > 0 ? '▲' : value < 0 ? '▼' : ''}
      </span>
      <span class="spoken">{value > 0 ? 'up ' : value < 0 ? 'down ' : 'unchanged '}</span>
      {Math.abs(value).toFixed(1)}
    </span>
  );
}
