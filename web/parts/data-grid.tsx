// A table of any length: only the rows in sight are in the document. The page itself scrolls, so the browser's own search,
// space bar and touch work as ever. Rows are reached with the arrow keys.
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { PickAll, PickRow, type Selection } from './selection.tsx';

export interface Column<Row> {
  readonly id: string;
  readonly title: ComponentChildren;
  readonly align?: 'right';
  /** The order that a click on the head asks for. */
  readonly order?: string;
  readonly cell: (row: Row, index: number) => ComponentChildren;
}

export interface SortState {
  readonly order: string;
  readonly isDescending: boolean;
}

interface DataGridProps<Row> {
  readonly label: string;
  readonly className: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly rowHeight: { readonly wide: number; readonly narrow: number };
  readonly sort?: SortState | undefined;
  readonly onSort?: (order: string) => void;
  readonly onOpen?: (row: Row) => void;
  /** A letter pressed on a row. */
  readonly onKey?: (key: string, row: Row) => void;
  readonly isStale?: boolean;
  /** Rows can be picked: by their boxes, with Shift up to here, with the key x. */
  readonly selection?: Selection | undefined;
  /** Widths of the columns, where the style sheet does not know which there are. */
  readonly tracks?: string;
}

const OVERSCAN_ROWS = 8;
const NARROW = window.matchMedia('(max-width: 760px)');

export function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const update = () => setNarrow(NARROW.matches);
    NARROW.addEventListener('change', update);
    return () => NARROW.removeEventListener('change', update);
  }, []);
  return isNarrow;
}

export function DataGrid<Row>(props: DataGridProps<Row>) {
  const { label, className, rows, keyOf, isStale, selection, tracks } = props;
  const columns = selection ? [pickColumn(selection), ...props.columns] : props.columns;
  const height = useIsNarrow() ? props.rowHeight.narrow : props.rowHeight.wide;
  const body = useRef<HTMLDivElement>(null);
  const range = useVisibleRange(body, { count: rows.length, height });
  const { active, onKeyDown, setActive } = useActiveRow(body, { ...props, height });
  return (
    <div
      class={`grid ${className} ${isStale ? 'is-stale' : ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-busy={isStale}
      {...(selection ? { 'aria-multiselectable': true } : {})}
      {...(tracks === undefined ? {} : { style: { '--tracks': tracks } })}
    >
      <div class="grid-head" role="rowgroup">
        <div class="grid-row" role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <HeadCell key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
          ))}
        </div>
      </div>
      <div class="grid-body" role="rowgroup" ref={body} style={{ height: `${rows.length * height}px` }}>
        {rows.slice(range.from, range.to).map((row, i) => {
          const index = range.from + i;
          return (
            <div
              key={keyOf(row)}
              class="grid-row"
              role="row"
              aria-rowindex={index + 2}
              tabIndex={index === active ? 0 : -1}
              data-index={index}
              style={{ transform: `translateY(${index * height}px)`, height: `${height}px` }}
              onKeyDown={(event) => onKeyDown(event, index)}
              onFocus={() => setActive(index)}
              {...(selection ? pickProps(selection, index) : {})}
            >
              {columns.map((column) => (
                <div key={column.id} role="gridcell" class={cellClass(column)}>
                  {column.cell(row, index)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function pickColumn<Row>(selection: Selection): Column<Row> {
  return {
    id: 'pick',
    title: <PickAll selection={selection} />,
    cell: (_row, index) => <PickRow selection={selection} index={index} />,
  };
}

/** A click with Shift anywhere on a row picks all rows up to it, and no text. */
function pickProps(selection: Selection, index: number) {
  return {
    'aria-selected': selection.isPicked(index),
    onMouseDown: (event: MouseEvent) => event.shiftKey && !isControl(event) && event.preventDefault(),
    onClick: (event: MouseEvent) => event.shiftKey && !isControl(event) && selection.pick(index, { isRange: true }),
  };
}

function isControl({ target }: Event): boolean {
  return target instanceof Element && target.closest('a, button, label, input') !== null;
}

interface HeadCellProps<Row> {
  readonly column: Column<Row>;
  readonly sort: SortState | undefined;
  readonly onSort: ((order: string) => void) | undefined;
}

function HeadCell<Row>({ column, sort, onSort }: HeadCellProps<Row>) {
  const { order } = column;
  const isSorted = order !== undefined && sort?.order === order;
  const direction = sort?.isDescending ? ('descending' as const) : ('ascending' as const);
  return (
    <div role="columnheader" class={cellClass(column)} {...(isSorted ? { 'aria-sort': direction } : {})}>
      {order === undefined || !onSort ? (
        column.title
      ) : (
        <button type="button" class="sort" onClick={() => onSort(order)}>
          <span>{column.title}</span>
          <span class="sort-mark" aria-hidden="true">
            {isSorted ? (sort?.isDescending ? '↓' : '↑') : ''}
          </span>
        </button>
      )}
    </div>
  );
}

function cellClass<Row>({ id, align }: Column<Row>): string {
  return `grid-cell col-${id}${align === 'right' ? ' is-right' : ''}`;
}

/** Which rows are in sight, and a few around them. */
function useVisibleRange(
  body: RefObject<HTMLDivElement | null>,
  { count, height }: { readonly count: number; readonly height: number },
): { readonly from: number; readonly to: number } {
  const [range, setRange] = useState({ from: 0, to: 40 });
  useLayoutEffect(() => {
    let frame = 0;
    const measure = () => {
      frame = 0;
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, Math.floor(-top / height) - OVERSCAN_ROWS);
      const to = Math.ceil((window.innerHeight - top) / height) + OVERSCAN_ROWS;
      setRange((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    const onScroll = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    window.addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('resize', onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', onScroll);
      window.removeEventListener('resize', onScroll);
    };
  }, [body, count, height]);
  return { from: Math.min(range.from, count), to: Math.min(range.to, count) };
}

/** One row is in the tab order; arrow keys move to its neighbours, which may have to come into the document first. */
function useActiveRow<Row>(
  body: RefObject<HTMLDivElement | null>,
  { rows, height, onOpen, onKey, selection }: DataGridProps<Row> & { readonly height: number },
) {
  const [active, setActive] = useState(0);
  const wanted = useRef<number | null>(null);

  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });

  const moveTo = (index: number) => {
    const target = Math.max(0, Math.min(rows.length - 1, index));
    wanted.current = target;
    setActive(target);
    const top = (body.current?.getBoundingClientRect().top ?? 0) + target * height;
    const margin = 3 * height;
    if (top < margin) window.scrollBy(0, top - margin);
    else if (top > window.innerHeight - margin) window.scrollBy(0, top - window.innerHeight + margin);
  };

  const onKeyDown = (event: KeyboardEvent, focused: number) => {
    if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return;
    // Keys that come faster than the focus follows them are meant for the row it is on its way to.
    const index = wanted.current ?? focused;
    const row = rows[index];
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + Math.floor(window.innerHeight / height) - 4,
      PageUp: index - Math.floor(window.innerHeight / height) + 4,
      Home: 0,
      End: rows.length - 1,
    };
    const target = steps[event.key];
    if (target !== undefined) moveTo(target);
    else if (event.key === 'Enter' && row !== undefined && onOpen) onOpen(row);
    else if (event.key.toLowerCase() === 'x' && selection) selection.pick(index, { isRange: event.shiftKey });
    else if (event.key.length === 1 && row !== undefined && onKey) return onKey(event.key, row);
    else return;
    event.preventDefault();
  };
  return { active: Math.min(active, Math.max(0, rows.length - 1)), setActive, onKeyDown };
}
