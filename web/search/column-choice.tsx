// Which columns the reader wants to see. The choice is the browser's, not the address's: whoever gets a link has a choice of their own.
import { signal } from '@preact/signals';
import type { Frequency } from '../api/wire.ts';
import { Popover } from '../parts/popover.tsx';
import { listResultColumns, type ResultColumn } from './result-columns.tsx';

const STORE = 'keyrank.columns';
/** Hidden until they are chosen. */
const HIDDEN_AT_FIRST = ['worst', 'periods', 'conversion', 'gap', 'first'];
const hidden = signal<ReadonlySet<string>>(new Set(readHidden()));

function readHidden(): readonly string[] {
  const text = localStorage.getItem(STORE);
  return text === null ? HIDDEN_AT_FIRST : text.split(' ').filter((id) => id !== '');
}

function setHidden(ids: readonly string[]): void {
  hidden.value = new Set(ids);
  localStorage.setItem(STORE, ids.join(' '));
}

/** What decides the order is always in sight. */
export function isChosen({ id, order }: ResultColumn, sortedBy: string): boolean {
  return !hidden.value.has(id) || order === sortedBy;
}

/** Takes away what has no room. Room that is left is shared by the columns with words. */
export function fitColumns(
  columns: readonly ResultColumn[],
  { roomPx, sortedBy }: { readonly roomPx: number; readonly sortedBy: string },
): readonly ResultColumn[] {
  const kept = [...columns];
  const expendable = columns
    .filter(({ expendable, order }) => expendable !== undefined && order !== sortedBy)
    .toSorted((a, b) => (b.expendable ?? 0) - (a.expendable ?? 0));
  for (const column of expendable) {
    if (widthOf(kept) <= roomPx) break;
    kept.splice(kept.indexOf(column), 1);
  }
  return kept;
}

const GAP_PX = 16;

function widthOf(columns: readonly ResultColumn[]): number {
  return columns.reduce((sum, { widthPx }) => sum + widthPx + GAP_PX, 0);
}

export function tracksOf(columns: readonly ResultColumn[]): string {
  return columns
    .map(({ widthPx, share }) => (share === undefined ? `${widthPx}px` : `minmax(${widthPx}px, ${share}fr)`))
    .join(' ');
}

export function ColumnMenu({ type }: { readonly type: Frequency }) {
  const context = { state: { type, sortPeriod: undefined }, comparison: undefined, periods: [], address: () => '' };
  const choices = listResultColumns(context).filter(({ expendable }) => expendable !== undefined);
  return (
    <Popover text="Columns" icon="columns" title="Choose columns" align="right">
      {() => (
        <div class="column-menu">
          {choices.map(({ id, name }) => (
            <label key={id} class="check">
              <input
                type="checkbox"
                checked={!hidden.value.has(id)}
                onChange={(event) => {
                  const others = [...hidden.value].filter((each) => each !== id);
                  setHidden(event.currentTarget.checked ? others : [...others, id]);
                }}
              />
              <span>{name}</span>
            </label>
          ))}
          <p class="muted">The browser remembers them. Where there is no room for all, some stay away.</p>
        </div>
      )}
    </Popover>
  );
}
