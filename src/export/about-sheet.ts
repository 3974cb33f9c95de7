// The second sheet: what was asked, over which data, and how to read the colours, so that a file that has been mailed
// around still explains itself.
import type { KeywordExport, ValueFormat } from '../domain/keyword-export.ts';
import { periodKey } from '../domain/period.ts';
import { inlineString } from './cell-text.ts';
import { type StyleName, styleNumber } from './styles.ts';

export const ABOUT_SHEET_NAME = 'About';

const FORMAT_MEANINGS: Readonly<Record<ValueFormat, string>> = {
  raw: 'Rank in the period; 1 is the most searched. Empty: no rank.',
  delta:
    'Ranks gained (+) or lost (-) since the previous period with a rank. Empty: no rank, or no earlier one to compare with.',
  percentage:
    'Ranks gained (+) or lost (-) since the previous period with a rank, in percent of that rank. Empty: no rank, or no earlier one to compare with.',
};

type Fact = readonly [label: string, value: string | number | Date, labelStyle?: StyleName];

export function aboutSheetXml(input: KeywordExport): string {
  const rows = [
    titleRow('Keyword ranks'),
    ...section('Search', searchFacts(input)),
    ...section('Data', dataFacts(input)),
    ...section('How to read it', readingFacts(input)),
  ];
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

function searchFacts({ description }: KeywordExport): readonly Fact[] {
  const [first, ...more] = description.queries;
  return [
    [more.length === 0 ? 'Query' : 'Queries', first ?? ''],
    ...more.map((query): Fact => ['', query]),
    ...description.filters.map(({ name, value }): Fact => [name, value]),
  ];
}

function dataFacts({ description, frequency, periods }: KeywordExport): readonly Fact[] {
  return [
    ['Rows', description.rowCount],
    ['Frequency', frequency],
    ['Periods', spanOf(periods)],
    ['Plan window', description.planWindow],
    ['Data version', description.dataVersion],
    ['Exported at', new Date(description.exportedAtMs)],
  ];
}

function readingFacts({ format, colorThresholdPercent }: KeywordExport): readonly Fact[] {
  const least = colorThresholdPercent === 0 ? '' : ` by at least ${colorThresholdPercent} %`;
  const neutral =
    colorThresholdPercent === 0
      ? 'Unchanged, or no earlier rank to compare with.'
      : `Changed by less than ${colorThresholdPercent} %, unchanged, or no earlier rank to compare with.`;
  return [
    ['Period columns', FORMAT_MEANINGS[format]],
    ['Improved', `Moved up${least} since the previous period with a rank.`, 'improvedLegend'],
    ['Worsened', `Moved down${least} since the previous period with a rank.`, 'worsenedLegend'],
    ['No colour', neutral],
    ['Shares', 'Share of clicks and of conversions that the product had in the newest period of its keyword.'],
  ];
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

function spanOf(periods: KeywordExport['periods']): string {
  const [first] = periods;
  const last = periods.at(-1);
  if (!first || !last) return 'none yet';
  return first === last ? periodKey(first) : `${periodKey(first)} to ${periodKey(last)} (${periods.length})`;
}
