import type { PublishedPeriod, SearchResult } from '../api/wire.ts';
import { addressOf, navigate } from '../app/location.ts';
import { keepRow } from '../keyword/known-rows.ts';
import { Change } from '../parts/change.tsx';
import { type Column, DataGrid } from '../parts/data-grid.tsx';
import { formatAverage, formatNumber, formatPeriod } from '../parts/format.ts';
import { latestChange, usePeriods } from '../parts/periods.ts';
import { Sparkline } from '../parts/sparkline.tsx';
import { Star } from '../tracked/star.tsx';
import { toggleTracked } from '../tracked/tracked-terms.ts';
import type { SearchState } from './search-state.ts';
import { sortBy } from './sort-menu.tsx';

interface ResultGridProps {
  readonly state: SearchState;
  readonly rows: readonly SearchResult[];
  readonly isStale: boolean;
}

const ROW_HEIGHT = { wide: 40, narrow: 78 };

export function ResultGrid({ state, rows, isStale }: ResultGridProps) {
  const periods = usePeriods(state.type);
  for (const row of rows) keepRow(row, state.type);
  const address = (row: SearchResult) => addressOfKeyword(row.search_term, state);
  return (
    <DataGrid
      label="Keywords"
      className={state.sortPeriod === undefined ? 'result-grid' : 'result-grid has-period'}
      columns={columnsOf({ state, periods, address })}
      rows={rows}
      keyOf={(row) => row.normalized_search_term}
      rowHeight={ROW_HEIGHT}
      sort={state.sort}
      onSort={(order) => sortBy(order, state)}
      onOpen={(row) => navigate(address(row))}
      onKey={(key, row) => key === 't' && toggleTracked(row.search_term)}
      isStale={isStale}
    />
  );
}

export function addressOfKeyword(term: string, { type }: Pick<SearchState, 'type'>): string {
  return addressOf('/keyword', { term, type: type === 'weekly' ? type : '' });
}

interface ColumnOptions {
  readonly state: SearchState;
  readonly periods: readonly PublishedPeriod[];
  readonly address: (row: SearchResult) => string;
}

function columnsOf({ state, periods, address }: ColumnOptions): readonly Column<SearchResult>[] {
  const { sortPeriod, type } = state;
  const period: Column<SearchResult>[] =
    sortPeriod === undefined
      ? []
      : [
          {
            id: 'period',
            title: formatPeriod(sortPeriod, type),
            align: 'right',
            order: sortPeriod,
            cell: (row) => <Rank value={row.data[canonicalKey(sortPeriod)]} />,
          },
        ];
  return [
    { id: 'star', title: <span class="spoken">Track</span>, cell: (row) => <Star term={row.search_term} /> },
    {
      id: 'term',
      title: 'Keyword',
      cell: (row) => (
        <a href={address(row)} data-view tabIndex={-1} title={row.search_term}>
          {row.search_term}
        </a>
      ),
    },
    { id: 'trend', title: 'History', cell: (row) => <RowSparkline row={row} periods={periods} /> },
    ...period,
    {
      id: 'latest',
      title: 'Latest',
      align: 'right',
      order: 'latest_rank',
      cell: (row) => <LatestRank row={row} state={state} newest={periods.at(-1)?.period} />,
    },
    { id: 'change', title: 'Change', align: 'right', cell: (row) => <Change value={latestChange(row)} /> },
    number({ id: 'best', title: 'Best', order: 'best_rank', value: ({ summary }) => summary.best_rank }),
    number({ id: 'average', title: 'Average', order: 'avg_rank', value: ({ summary }) => summary.avg_rank }),
    number({ id: 'worst', title: 'Worst', order: 'worst_rank', value: ({ summary }) => summary.worst_rank }),
    {
      id: 'periods',
      title: type === 'monthly' ? 'Months' : 'Weeks',
      align: 'right',
      order: 'total_periods',
      cell: ({ summary }) => formatNumber(summary.total_periods),
    },
    { id: 'products', title: 'Top products', cell: (row) => <Products row={row} /> },
    { id: 'brands', title: 'Brands', cell: ({ latest_data: { brands } }) => <Brands names={brands} /> },
  ];
}

interface NumberColumn {
  readonly id: string;
  readonly title: string;
  readonly order: string;
  readonly value: (row: SearchResult) => number;
}

function number({ value, ...column }: NumberColumn): Column<SearchResult> {
  return { ...column, align: 'right', cell: (row) => formatAverage(value(row)) };
}

/** The address may say 1-2026 where the data says 01-2026. */
function canonicalKey(key: string): string {
  const [number = '', year = ''] = key.split('-');
  return `${String(Number(number)).padStart(2, '0')}-${year}`;
}

function Rank({ value }: { readonly value: number | undefined }) {
  return value === undefined ? <span class="muted">–</span> : <b>{formatNumber(value)}</b>;
}

function LatestRank({
  row,
  state,
  newest,
}: {
  readonly row: SearchResult;
  readonly state: SearchState;
  readonly newest: string | undefined;
}) {
  const { latest_rank: rank, latest_period: period } = row.summary;
  const isOld = newest !== undefined && period !== newest;
  return (
    <span
      class={isOld ? 'latest is-old' : 'latest'}
      {...(isOld ? { title: `in ${formatPeriod(period, state.type)}` } : {})}
    >
      {formatNumber(rank)}
      {isOld && <small>{formatPeriod(period, state.type)}</small>}
    </span>
  );
}

function RowSparkline({ row, periods }: { readonly row: SearchResult; readonly periods: readonly PublishedPeriod[] }) {
  return <Sparkline ranks={periods.map(({ period }) => row.data[period])} />;
}

function Products({ row }: { readonly row: SearchResult }) {
  const { products } = row.latest_data;
  const [first] = products;
  if (!first) return <span class="muted">–</span>;
  const all = products
    .map(({ asin, title, click_share: share }) => `${asin}  ${share.toFixed(1)}%  ${title}`)
    .join('\n');
  return (
    <span class="products" title={all}>
      <ShareBars shares={products.map(({ click_share: share }) => share)} />
      <span class="products-title">{first.title || first.asin}</span>
    </span>
  );
}

/** The click shares of the three products as bars of one height scale. */
function ShareBars({ shares }: { readonly shares: readonly number[] }) {
  const top = Math.max(12, ...shares);
  return (
    <svg class="share-bars" width="20" height="18" viewBox="0 0 20 18" aria-hidden="true">
      {shares.slice(0, 3).map((share, i) => {
        const height = Math.max(1.5, (share / top) * 18);
        return <rect key={i} x={i * 7} y={18 - height} width="5" height={height} rx="1" />;
      })}
    </svg>
  );
}

function Brands({ names }: { readonly names: readonly string[] }) {
  const distinct = [...new Set(names)];
  return <span title={distinct.join(', ')}>{distinct.join(', ') || <span class="muted">–</span>}</span>;
}
