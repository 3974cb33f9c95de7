import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Frequency, SearchResult } from '../api/wire.ts';
import { addressOf, navigate } from '../app/location.ts';
import { keepRow } from '../keyword/known-rows.ts';
import type { Comparison } from '../parts/comparison.tsx';
import { DataGrid, useIsNarrow } from '../parts/data-grid.tsx';
import { usePeriods } from '../parts/periods.ts';
import { useSelection } from '../parts/selection.tsx';
import { SelectionBar } from '../parts/selection-bar.tsx';
import { toggleTracked } from '../tracked/tracked-terms.ts';
import { fitColumns, isChosen, tracksOf } from './column-choice.tsx';
import { listResultColumns, type ResultColumn } from './result-columns.tsx';
import type { SearchState } from './search-state.ts';

interface ResultGridProps {
  readonly state: Pick<SearchState, 'type' | 'sortPeriod' | 'sort'>;
  readonly onSort: (order: string) => void;
  readonly comparison: Comparison | undefined;
  readonly rows: readonly SearchResult[];
  /** What the list is about: rows stay picked while it is the same. */
  readonly subject: string;
  readonly isStale: boolean;
}

const ROW_HEIGHT = { wide: 40, narrow: 78 };
const PICK_PX = 24;
/** The box before a row, its gap, and the edges of the table. */
const EDGE_PX = PICK_PX + 16 + 26;

export function ResultGrid({ state, comparison, rows, subject, isStale, onSort }: ResultGridProps) {
  const { type, sort } = state;
  const box = useRef<HTMLDivElement>(null);
  const roomPx = useWidth(box) - EDGE_PX;
  const isNarrow = useIsNarrow();
  const periods = usePeriods(type);
  const selection = useSelection(
    rows.map((row) => row.search_term),
    subject,
  );
  for (const row of rows) keepRow(row, type);
  const address = (row: SearchResult) => addressOfKeyword(row.search_term, state);
  const sortedBy = sort.order;
  const all = listResultColumns({ state, comparison, periods, address });
  const chosen = all.filter((column) => isChosen(column, sortedBy));
  const columns = isNarrow ? phoneColumns(all, sortedBy) : fitColumns(chosen, { roomPx, sortedBy });
  return (
    <div ref={box}>
      <DataGrid
        label="Keywords"
        className="result-grid"
        columns={columns}
        tracks={`${PICK_PX}px ${tracksOf(columns)}`}
        rows={rows}
        keyOf={(row) => row.normalized_search_term}
        rowHeight={ROW_HEIGHT}
        sort={sort}
        onSort={onSort}
        onOpen={(row) => navigate(address(row))}
        onKey={(key, row) => key === 't' && toggleTracked(row.search_term)}
        isStale={isStale}
        selection={selection}
      />
      <SelectionBar selection={selection} type={type} />
    </div>
  );
}

/** A row of a phone has two lines with a number at the end of each: the rank, and the change or what decides the order. */
function phoneColumns(all: readonly ResultColumn[], sortedBy: string): readonly ResultColumn[] {
  const byId = (id: string) => all.find((column) => column.id === id);
  const first = byId('period') ?? byId('latest');
  const decides = all.find(({ order }) => order !== undefined && order === sortedBy);
  const second = decides === undefined || ['period', 'latest', 'term'].includes(decides.id) ? byId('change') : decides;
  return [byId('star'), byId('term'), first, byId('trend'), second].flatMap((column) => column ?? []);
}

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(window.innerWidth);
  useLayoutEffect(() => {
    if (!box.current) return;
    const measure = () => box.current && setWidth(box.current.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return width;
}

export function addressOfKeyword(term: string, { type }: { readonly type: Frequency }): string {
  return addressOf('/keyword', { term, type: type === 'weekly' ? type : '' });
}
