// Where the periods of a calendar stand, and how the arrow keys lead from one to the next.
import type { CalendarEntry } from '../api/wire.ts';

export interface Cell {
  /** Of the marketplace. */
  readonly row: number;
  /** The number of the month or week. */
  readonly column: number;
}

export interface CalendarCells {
  readonly marketplaces: readonly string[];
  readonly columnCount: number;
  find(cell: Cell): CalendarEntry | undefined;
  /** The newest period of the first marketplace. */
  readonly first: Cell;
  /** The column of the newest period of all. */
  readonly newest: number;
}

export function placeEntries(entries: readonly CalendarEntry[], usualColumns: number): CalendarCells {
  const marketplaces = [...new Set(entries.map(({ marketplace }) => marketplace))];
  const byName = new Map(
    entries.map((entry) => [nameOf({ row: marketplaces.indexOf(entry.marketplace), column: columnOf(entry) }), entry]),
  );
  const newestOf = (some: readonly CalendarEntry[]) => Math.max(0, ...some.map(columnOf));
  const newest = newestOf(entries);
  return {
    marketplaces,
    // Some years have one week more.
    columnCount: Math.max(usualColumns, newest),
    find: (cell) => byName.get(nameOf(cell)),
    first: { row: 0, column: newestOf(entries.filter(({ marketplace }) => marketplace === marketplaces[0])) },
    newest,
  };
}

const STEPS: Readonly<Record<string, Cell>> = {
  ArrowRight: { row: 0, column: 1 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowDown: { row: 1, column: 0 },
  ArrowUp: { row: -1, column: 0 },
  Home: { row: 0, column: 1 },
  End: { row: 0, column: -1 },
};

/** The next cell with something in it; undefined at the edge, and for other keys. */
export function neighbourOf(key: string, from: Cell, cells: CalendarCells): Cell | undefined {
  const step = STEPS[key];
  if (!step) return undefined;
  const edges: Readonly<Record<string, number>> = { Home: 0, End: cells.columnCount + 1 };
  let { row, column } = { ...from, column: edges[key] ?? from.column };
  for (;;) {
    row += step.row;
    column += step.column;
    if (row < 0 || row >= cells.marketplaces.length || column < 1 || column > cells.columnCount) return undefined;
    if (cells.find({ row, column })) return { row, column };
  }
}

export function nameOf({ row, column }: Cell): string {
  return `${row}-${column}`;
}

export function cellNamed(name: string): Cell {
  const [row = 0, column = 0] = name.split('-').map(Number);
  return { row, column };
}

function columnOf({ period }: CalendarEntry): number {
  return Number(period.split('-')[0]);
}
