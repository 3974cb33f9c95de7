// One page of a trend: a grid whose rows open and track keywords, or why it is empty, and the way to the other pages.
import type { ComponentChildren } from 'preact';
import type { Frequency, Pagination } from '../api/wire.ts';
import { navigate } from '../app/location.ts';
import { type Column, DataGrid, type SortState } from '../parts/data-grid.tsx';
import { addressOfKeyword } from '../search/result-grid.tsx';
import { Star } from '../tracked/star.tsx';
import { toggleTracked } from '../tracked/tracked-terms.ts';
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
  readonly columns: readonly Column<Row>[];
  readonly rowHeight: { readonly wide: number; readonly narrow: number };
  readonly sort: SortState;
  readonly defaultOrder: string;
  readonly isStale: boolean;
  /** Shown in place of no rows. */
  readonly children: ComponentChildren;
}

export function TrendList<Row extends TrendRow>(props: TrendListProps<Row>) {
  const { type, page, sort, columns, defaultOrder, children, ...look } = props;
  return (
    <>
      {page.data.length === 0 ? (
        children
      ) : (
        <DataGrid
          {...look}
          columns={[...keywordColumns(type), ...columns]}
          rows={page.data}
          keyOf={(row) => row.query}
          sort={sort}
          onSort={(field) => sortTrend(field, { ...sort, defaults: defaultOrder })}
          onOpen={(row) => navigate(addressOfKeyword(row.query, { type }))}
          onKey={(key, row) => key === 't' && toggleTracked(row.query)}
        />
      )}
      <TrendPager pagination={page.pagination} />
    </>
  );
}

function keywordColumns(type: Frequency): readonly Column<TrendRow>[] {
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
  ];
}
