// One page of a trend: a grid whose rows open and track keywords, or why it is empty, and the way to the other pages.
import type { ComponentChildren } from 'preact';
import type { Frequency, Pagination } from '../api/wire.ts';
import { navigate } from '../app/location.ts';
import { DataGrid, type SortState } from '../parts/data-grid.tsx';
import { useSelection } from '../parts/selection.tsx';
import { SelectionBar } from '../parts/selection-bar.tsx';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { Star } from '../tracked/star.tsx';
import { toggleTracked } from '../tracked/tracked-terms.ts';
import { EmptyTrend } from './empty-trend.tsx';
import { detailColumns, hasDetails } from './keyword-details.tsx';
import type { TrendColumn } from './trend-column.ts';
import { TrendPager } from './trend-pager.tsx';
import { sortTrend } from './trend-params.ts';

interface TrendRow {
  readonly query: string;
}

interface TrendListProps<Row extends TrendRow> {
  readonly label: string;
  readonly className: string;
  readonly type: Frequency;
  readonly page: { readonly data: readonly Row[]; readonly pagination: Pagination };
  /** Beside the star and the keyword. */
  readonly columns: readonly TrendColumn<Row>[];
  /** What the list is about: rows stay picked while it is the same. */
  readonly subject: string;
  readonly rowHeight: { readonly wide: number; readonly narrow: number };
  readonly sort: SortState;
  readonly defaultOrder: string;
  readonly isStale: boolean;
  /** For a list without rows. */
  readonly emptyTitle: string;
  readonly children: ComponentChildren;
}

/** On a phone, for history and products. */
const DETAILS_LINE_PX = 36;

export function TrendList<Row extends TrendRow>(props: TrendListProps<Row>) {
  const { type, page, sort, defaultOrder, emptyTitle, children, subject, rowHeight, ...look } = props;
  const selection = useSelection(
    page.data.map((row) => row.query),
    subject,
  );
  const columns: readonly TrendColumn<Row>[] = [...keywordColumns(type), ...detailColumns(type), ...props.columns];
  return (
    <>
      {page.data.length === 0 ? (
        <EmptyTrend pagination={page.pagination} title={emptyTitle}>
          {children}
        </EmptyTrend>
      ) : (
        <DataGrid
          {...look}
          className={hasDetails.value ? `${look.className} has-details` : look.className}
          columns={columns}
          rowHeight={{ wide: rowHeight.wide, narrow: rowHeight.narrow + (hasDetails.value ? DETAILS_LINE_PX : 0) }}
          tracks={['24px', ...columns.map(({ track }) => track)].join(' ')}
          selection={selection}
          rows={page.data}
          keyOf={(row) => row.query}
          sort={sort}
          onSort={(field) => sortTrend(field, { ...sort, defaults: defaultOrder })}
          onOpen={(row) => navigate(addressOfKeyword(row.query, { type }))}
          onKey={(key, row) => key === 't' && toggleTracked(row.query)}
        />
      )}
      <SelectionBar selection={selection} type={type} />
      <TrendPager pagination={page.pagination} />
    </>
  );
}

function keywordColumns(type: Frequency): readonly TrendColumn<TrendRow>[] {
  return [
    { id: 'star', title: <span class="spoken">Track</span>, track: '28px', cell: (row) => <Star term={row.query} /> },
    {
      id: 'term',
      title: 'Keyword',
      track: 'minmax(0, 2fr)',
      order: 'query',
      cell: (row) => (
        <a href={addressOfKeyword(row.query, { type })} data-view tabIndex={-1} title={row.query}>
          {row.query}
        </a>
      ),
    },
  ];
}
