// The second sheet: what was asked, over which data, and how to read the colours, so that a file that has been mailed
// around still explains itself.
import { inlineString } from './cell-text.ts';
import { type StyleName, styleNumber } from './styles.ts';
import type { Fact, TableContent } from './table.ts';

export const ABOUT_SHEET_NAME = 'About';

export function aboutSheetXml({ title, about }: TableContent): string {
  const rows = [titleRow(title), ...about.flatMap(({ heading, facts }) => section(heading, facts))];
  return [
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n',
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">',
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>',
    '<sheetViews><sheetView showGridLines="0" workbookViewId="0"/></sheetViews>',
    '<sheetFormatPr defaultRowHeight="15"/>',
    '<cols><col min="1" max="1" width="24" customWidth="1"/><col min="2" max="2" width="100" customWidth="1"/></cols>',
    `<sheetData>${rows.map((row, index) => row(index + 1)).join('')}</sheetData>`,
    '<pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>',
    '<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/>',
    '</worksheet>',
  ].join('');
}

type AboutRow = (rowNumber: number) => string;

function titleRow(title: string): AboutRow {
  return (rowNumber) =>
    `<row r="${rowNumber}" ht="26" customHeight="1">${textCell({ reference: `A${rowNumber}`, text: title, style: 'title' })}</row>`;
}

function section(heading: string, facts: readonly Fact[]): readonly AboutRow[] {
  return [
    (rowNumber) =>
      `<row r="${rowNumber}" ht="30" customHeight="1">${textCell({ reference: `A${rowNumber}`, text: heading, style: 'section' })}<c r="B${rowNumber}" s="${styleNumber('section')}"/></row>`,
    ...facts.map(
      ([label, value, labelStyle = 'label']): AboutRow =>
        (rowNumber) =>
          `<row r="${rowNumber}">${textCell({ reference: `A${rowNumber}`, text: label, style: labelStyle })}${factCell(`B${rowNumber}`, value)}</row>`,
    ),
  ];
}

function factCell(reference: string, value: Fact[1]): string {
  if (typeof value === 'string') return textCell({ reference, text: value, style: 'fact' });
  if (typeof value === 'number') return `<c r="${reference}" s="${styleNumber('count')}"><v>${value}</v></c>`;
  return `<c r="${reference}" s="${styleNumber('time')}"><v>${serialDate(value)}</v></c>`;
}

interface TextCell {
  readonly reference: string;
  readonly text: string;
  readonly style: StyleName;
}

function textCell({ reference, text, style }: TextCell): string {
  return `<c r="${reference}" s="${styleNumber(style)}" t="inlineStr">${inlineString(text)}</c>`;
}

/** Spreadsheets count days; 25,569 of them lie before 1970. Whole seconds, so that no rounding shows. */
function serialDate(at: Date): number {
  return Math.floor(at.getTime() / 1000) / 86_400 + 25_569;
}
