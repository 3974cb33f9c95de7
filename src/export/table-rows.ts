// Values of any columns as cells of a sheet.
import { shareFraction } from './cells.ts';
import { type Column, LIST_SEPARATOR } from './columns.ts';
import { numberOpen, type SheetCells } from './sheet-cells.ts';
import { isPercent } from './styles.ts';
import type { CellValue } from './table.ts';

/** Writes one value per column, in their order. */
export function openValues(columns: readonly Column[], cells: SheetCells): (values: readonly CellValue[]) => void {
  const looks = columns.map(({ style }) => ({ open: numberOpen(style), isPercent: isPercent(style) }));
  return (values) => {
    for (const [i, value] of values.entries()) {
      const look = looks[i];
      if (value === null) cells.skip(1);
      else if (typeof value === 'number' && look)
        cells.number(look.isPercent ? shareFraction(value) : value, look.open);
      else if (typeof value === 'boolean') cells.text(value ? 'yes' : 'no');
      else cells.text(typeof value === 'object' ? value.join(LIST_SEPARATOR) : String(value));
    }
  };
}
