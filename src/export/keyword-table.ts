// A keyword export as a table: what its columns hold, and what its About sheet says.
import { type ExportContent, type KeywordExport, MAX_PRODUCTS, type ValueFormat } from '../domain/keyword-export.ts';
import type { SearchRow } from '../domain/search-row.ts';
import { type CellRule, periodCells, plainValue } from './cells.ts';
import { exportColumns, periodHeadings } from './columns.ts';
import { dataFacts, eventSection } from './data-facts.ts';
import { presentInsights } from './insight-fields.ts';
import { KeywordRows } from './keyword-rows.ts';
import { presentResult } from './ndjson.ts';
import type { AboutSection, CellValue, Fact, Table, TableContent } from './table.ts';

const FORMAT_MEANINGS: Readonly<Record<ValueFormat, string>> = {
  raw: 'Rank in the period; 1 is the most searched. Empty: no rank.',
  delta:
    'Ranks gained (+) or lost (-) since the previous period with a rank. Empty: no rank, or no earlier one to compare with.',
  percentage:
    'Ranks gained (+) or lost (-) since the previous period with a rank, in percent of that rank. Empty: no rank, or no earlier one to compare with.',
};

export function keywordTable(input: KeywordExport): Table<SearchRow> {
  const keys = periodHeadings(input.periods);
  return {
    ...keywordContent(input),
    batches: input.batches,
    valuesOf: (row) => rowValues(row, input),
    // With format delta or percentage the values of `data` are changes, and periods without one are absent.
    present: (row) => {
      const values = periodCells(row.ranks, input).map((cell) => cell && plainValue(cell, input));
      return presentResult(row, { keys, values });
    },
    openRows: (cells) => {
      const rows = new KeywordRows(input, cells);
      return (row) => rows.write(row);
    },
  };
}

export function keywordContent(content: ExportContent): TableContent {
  return {
    sheetName: 'Keywords',
    title: 'Keyword ranks',
    columns: exportColumns(content),
    about: aboutKeywords(content),
    rowCount: content.description.rowCount,
    exportedAtMs: content.description.exportedAtMs,
  };
}

/** A row in the order of the columns, for forms without number formats; null is an empty cell. */
function rowValues(row: SearchRow, rule: CellRule): readonly CellValue[] {
  return [
    row.searchTerm,
    ...periodCells(row.ranks, rule).map((cell) => cell && plainValue(cell, rule)),
    ...[row.latestRank, row.bestRank, row.worstRank, row.avgRank, row.totalPeriods],
    ...Array.from({ length: MAX_PRODUCTS }, (_, place) => {
      const product = row.products[place];
      if (!product) return [null, null, null, null];
      return [product.asin, product.title, product.clickShare, product.conversionShare];
    }).flat(),
    row.brands,
    row.categories,
    ...(row.insights ? Object.values(presentInsights(row.insights)) : []),
  ];
}

function aboutKeywords(content: ExportContent): readonly AboutSection[] {
  return [
    { heading: 'Search', facts: searchFacts(content) },
    { heading: 'Data', facts: dataFacts({ ...content, ...content.description }) },
    ...eventSection(content.description.events ?? []),
    {
      heading: 'How to read it',
      facts: [...readingFacts(content), ...(content.includesInsights ? INSIGHT_FACTS : [])],
    },
  ];
}

const INSIGHT_FACTS: readonly Fact[] = [
  ['Change', 'Ranks gained (+) or lost (-) from the first period named to the second. Empty: no rank in one of them.'],
  ['Concentration', 'Sum of the known shares of the products. Conversion to click is the ratio of the two sums.'],
  ['Title gap', 'yes: a word of the term stands in none of the titles. Streak: periods in a row with a rank.'],
];

function searchFacts({ description }: ExportContent): readonly Fact[] {
  const [first, ...more] = description.queries;
  return [
    [more.length === 0 ? 'Query' : 'Queries', first ?? ''],
    ...more.map((query): Fact => ['', query]),
    ...description.filters.map(({ name, value }): Fact => [name, value]),
  ];
}

function readingFacts({ format, colorThresholdPercent }: ExportContent): readonly Fact[] {
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
