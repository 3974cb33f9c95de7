// A row for each marketplace, a column for each month or week of the year. One cell is in the tab order; arrow keys lead to the others.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CalendarEntry, Frequency } from '../api/wire.ts';
import { type Cell, cellNamed, nameOf, neighbourOf, placeEntries } from './calendar-cells.ts';
import { describe } from './calendar-words.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TITLES: Readonly<Record<Frequency, string>> = { monthly: 'Months', weekly: 'Weeks' };
const COLUMNS: Readonly<Record<Frequency, number>> = { monthly: 12, weekly: 52 };

interface CalendarGridProps {
  readonly type: Frequency;
  readonly entries: readonly CalendarEntry[];
  readonly onChoose: (entry: CalendarEntry) => void;
}

export function CalendarGrid({ type, entries, onChoose }: CalendarGridProps) {
  const box = useRef<HTMLDivElement>(null);
  const cells = placeEntries(entries, COLUMNS[type]);
  const { marketplaces, columnCount, first, newest } = cells;
  const [active, setActive] = useState<Cell>(first);

  // On a narrow screen the newest periods are in sight first.
  useLayoutEffect(() => {
    const cell = box.current?.querySelector<HTMLElement>(`[data-column="${newest}"]`);
    if (!box.current || !cell) return;
    const { left, width } = box.current.getBoundingClientRect();
    box.current.scrollLeft += cell.getBoundingClientRect().left - left - width / 2;
  }, [newest]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    // Keys may come faster than what they change is drawn: where the key was pressed is asked of the document.
    const name = event.target instanceof HTMLElement ? event.target.dataset.cell : undefined;
    const target = name && neighbourOf(event.key, cellNamed(name), cells);
    if (!target) return;
    event.preventDefault();
    box.current?.querySelector<HTMLElement>(`[data-cell="${nameOf(target)}"]`)?.focus();
  };

  if (entries.length === 0) return null;
  const tabStop = nameOf(cells.find(active) ? active : first);
  const columns = Array.from({ length: columnCount }, (_, index) => index + 1);
  const cellOf = (cell: Cell) => {
    const entry = cells.find(cell);
    const choose = () => {
      setActive(cell);
      if (entry) onChoose(entry);
    };
    return entry && <CalendarMark entry={entry} cell={cell} isTabStop={nameOf(cell) === tabStop} onChoose={choose} />;
  };
  return (
    <div class={`calendar-box is-${type}`} ref={box}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells are reached with the arrow keys. */}
      <table class="calendar-grid" role="grid" aria-label={`${TITLES[type]} by marketplace`} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            <th scope="col">{TITLES[type]}</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {type === 'monthly' ? MONTHS[column - 1] : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {marketplaces.map((marketplace, row) => (
            <tr key={marketplace}>
              <th scope="row">{marketplace}</th>
              {columns.map((column) => (
                <td key={column}>{cellOf({ row, column })}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CalendarMark({
  entry,
  cell,
  isTabStop,
  onChoose,
}: {
  readonly entry: CalendarEntry;
  readonly cell: Cell;
  readonly isTabStop: boolean;
  readonly onChoose: () => void;
}) {
  const words = describe(entry);
  return (
    <button
      type="button"
      class={`calendar-mark is-${entry.state}`}
      aria-label={words}
      title={words}
      data-cell={nameOf(cell)}
      data-column={cell.column}
      tabIndex={isTabStop ? 0 : -1}
      onClick={onChoose}
      onFocus={onChoose}
    />
  );
}
