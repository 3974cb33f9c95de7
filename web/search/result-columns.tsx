// Every column that a list of results can have, in the order in which they stand.
import type { ComponentChildren } from 'preact';
import type { PublishedPeriod, SearchResult } from '../api/wire.ts';
import { Change } from '../parts/change.tsx';
import { ChangeTitle, type Comparison, changeOf } from '../parts/comparison.tsx';
import type { Column } from '../parts/data-grid.tsx';
import { formatAverage, formatNumber, formatPercent, formatPeriodShort } from '../parts/format.ts';
import { LatestRank } from '../parts/latest-rank.tsx';
import { canonicalKey } from '../parts/periods.ts';
import { Sparkline } from '../parts/sparkline.tsx';
import { Star } from '../tracked/star.tsx';
import { Brands, Products } from './result-products.tsx';
import type { SearchState } from './search-state.ts';

export interface ResultColumn extends Column<SearchResult> {
  /** In a table of all columns. */
  readonly name: string;
  readonly widthPx: number;
  /** Takes a part of the room that is left over. */
  readonly share?: number;
  /** Where there is no room for all, the highest goes first. Without one a column is always there. */
  readonly expendable?: number;
}

export interface ColumnContext {
  readonly state: Pick<SearchState, 'type' | 'sortPeriod'>;
  readonly comparison: Comparison | undefined;
  /** Oldest first. */
  readonly periods: readonly PublishedPeriod[];
  readonly address: (row: SearchResult) => string;
}

export function listResultColumns(context: ColumnContext): readonly ResultColumn[] {
  return [...leadColumns(context), ...rankColumns(context), ...insightColumns(context), ...nameColumns(context)];
}

function leadColumns({ state, periods, address }: ColumnContext): readonly ResultColumn[] {
  return [
    {
      id: 'star',
      name: 'Track',
      title: <span class="spoken">Track</span>,
      widthPx: 28,
      cell: (row) => <Star term={row.search_term} />,
    },
    {
      id: 'term',
      name: 'Keyword',
      title: 'Keyword',
      widthPx: 170,
      share: 2.2,
      cell: (row) => (
        <a href={address(row)} data-view tabIndex={-1} title={row.search_term}>
          {row.search_term}
        </a>
      ),
    },
    {
      id: 'trend',
      name: 'History',
      title: 'History',
      widthPx: 104,
      expendable: 2,
      cell: ({ data }) => (
        <Sparkline history={periods.map(({ period }) => ({ period, rank: data[period] }))} type={state.type} />
      ),
    },
  ];
}

function rankColumns({ state: { type, sortPeriod }, comparison, periods }: ColumnContext): readonly ResultColumn[] {
  const period: readonly ResultColumn[] =
    sortPeriod === undefined
      ? []
      : [
          {
            id: 'period',
            name: formatPeriodShort(sortPeriod, type),
            title: formatPeriodShort(sortPeriod, type),
            align: 'right',
            widthPx: 100,
            order: sortPeriod,
            cell: (row) => <Rank value={row.data[canonicalKey(sortPeriod)]} />,
          },
        ];
  return [
    ...period,
    {
      id: 'latest',
      name: 'Latest',
      title: 'Latest',
      align: 'right',
      widthPx: 78,
      order: 'latest_rank',
      cell: ({ summary: { latest_rank: rank, latest_period: latest } }) => (
        <LatestRank rank={rank} period={latest} type={type} newest={periods.at(-1)?.period} />
      ),
    },
    {
      id: 'change',
      name: 'Change',
      title: <ChangeTitle comparison={comparison} />,
      align: 'right',
      widthPx: 108,
      order: 'change',
      expendable: 1,
      cell: ({ data }) => <Change value={changeOf(data, comparison)} />,
    },
    {
      id: 'year',
      name: 'Year on year',
      title: 'Year on year',
      align: 'right',
      widthPx: 98,
      order: 'year_change',
      expendable: 4,
      cell: ({ insights }) => <Change value={insights?.year_change} />,
    },
    number({ id: 'best', name: 'Best', order: 'best_rank', widthPx: 68, expendable: 3 }, (row) => row.best_rank),
    number({ id: 'average', name: 'Average', order: 'avg_rank', widthPx: 76, expendable: 6 }, (row) => row.avg_rank),
    number({ id: 'worst', name: 'Worst', order: 'worst_rank', widthPx: 76, expendable: 8 }, (row) => row.worst_rank),
    {
      id: 'periods',
      name: type === 'monthly' ? 'Months' : 'Weeks',
      title: type === 'monthly' ? 'Months' : 'Weeks',
      align: 'right',
      widthPx: 66,
      order: 'total_periods',
      expendable: 9,
      cell: ({ summary }) => formatNumber(summary.total_periods),
    },
  ];
}

function insightColumns({ state: { type } }: ColumnContext): readonly ResultColumn[] {
  return [
    {
      id: 'concentration',
      name: 'Concentration',
      title: <abbr title="Clicks of the top three products, of all clicks">Concentration</abbr>,
      align: 'right',
      widthPx: 116,
      order: 'click_concentration',
      expendable: 5,
      cell: ({ insights }) => known(insights?.click_concentration, formatPercent),
    },
    {
      id: 'conversion',
      name: 'Conversion to click',
      title: (
        <abbr title="Their share of conversions for each share of clicks: above 1 they sell better than others">
          Conv. / click
        </abbr>
      ),
      align: 'right',
      widthPx: 104,
      order: 'conversion_to_click',
      expendable: 10,
      cell: ({ insights }) => known(insights?.conversion_to_click, (value) => value.toFixed(2)),
    },
    {
      id: 'gap',
      name: 'Title gap',
      title: <abbr title="A word of the keyword stands in no title of the top products">Title gap</abbr>,
      widthPx: 76,
      order: 'title_gap',
      expendable: 11,
      cell: ({ insights }) => known(insights?.title_gap, (value) => (value ? <b>yes</b> : 'no')),
    },
    {
      id: 'first',
      name: 'First seen',
      title: 'First seen',
      align: 'right',
      widthPx: type === 'monthly' ? 84 : 126,
      order: 'first_seen',
      expendable: 12,
      cell: ({ insights }) => known(insights?.first_seen, (value) => formatPeriodShort(value, type)),
    },
  ];
}

function nameColumns({ state: { type } }: ColumnContext): readonly ResultColumn[] {
  return [
    {
      id: 'products',
      name: 'Top products',
      title: 'Top products',
      widthPx: 140,
      share: 2,
      expendable: 7,
      cell: (row) => <Products products={row.latest_data.products} type={type} />,
    },
    {
      id: 'brands',
      name: 'Brands',
      title: 'Brands',
      widthPx: 90,
      share: 1,
      expendable: 7.5,
      cell: ({ latest_data: { brands } }) => <Brands names={brands} type={type} />,
    },
  ];
}

function number(
  column: Omit<ResultColumn, 'title' | 'align' | 'cell'>,
  read: (summary: SearchResult['summary']) => number,
): ResultColumn {
  return { ...column, title: column.name, align: 'right', cell: ({ summary }) => formatAverage(read(summary)) };
}

function known<T>(value: T | null | undefined, show: (value: T) => ComponentChildren): ComponentChildren {
  return value === null || value === undefined ? <Unknown /> : show(value);
}

function Unknown() {
  return (
    <span class="muted">
      <span aria-hidden="true">–</span>
      <span class="spoken">not known</span>
    </span>
  );
}

function Rank({ value }: { readonly value: number | undefined }) {
  return value === undefined ? <span class="muted">–</span> : <b>{formatNumber(value)}</b>;
}
