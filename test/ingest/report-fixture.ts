// Reports as vendors write them, made row by row, so that each test shows the one thing that is odd about its file.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface FixtureProduct {
  readonly asin: string;
  readonly title: string;
  readonly click: string;
  readonly conversion: string;
}

export interface FixtureRow {
  readonly rank: string;
  readonly term: string;
  readonly brands: readonly string[];
  readonly categories: readonly string[];
  readonly products: readonly FixtureProduct[];
  readonly date: string;
}

export const WEEK_NAME = 'US_Top_Search_Terms_Simple_Week_2026_07_11.csv';
export const WEEK_LINE = 'Reporting Range=["Weekly"],Select week=["Week 28 | 2026-07-05 - 2026-07-11 2026"]';
export const SLOTS = [1, 2, 3];

export const CURRENT_HEADER = [
  'Search Frequency Rank',
  'Search Term',
  'Top Clicked Brand #1',
  'Top Clicked Brands #2',
  'Top Clicked Brands #3',
  ...SLOTS.map((slot) => `Top Clicked Category #${slot}`),
  ...SLOTS.flatMap((slot) =>
    ['ASIN', 'Product Title', 'Click Share', 'Conversion Share'].map((name) => `Top Clicked Product #${slot}: ${name}`),
  ),
  'Reporting Date',
];

export const CHINESE_HEADER = [
  '搜索频率排名',
  '搜索词',
  ...SLOTS.map((slot) => `点击量最高的品牌 #${slot}`),
  ...SLOTS.map((slot) => `点击量最高的类别 #${slot}`),
  ...SLOTS.flatMap((slot) =>
    ['ASIN', '商品名称', '点击份额', '转化份额'].map((name) => `点击量最高的商品 #${slot}：${name}`),
  ),
  '报告日期',
];

export const OLDER_HEADER = [
  'Department',
  'Search Term',
  'Search Frequency Rank',
  ...SLOTS.flatMap((slot) =>
    ['Clicked ASIN', 'Product Title', 'Click Share', 'Conversion Share'].map((name) => `#${slot} ${name}`),
  ),
];

/** A plain row; every part of it can be given instead. */
export function fixtureRow(number: number, given: Partial<FixtureRow> = {}): FixtureRow {
  const products = SLOTS.map((slot) => ({
    asin: `B0${String(number).padStart(6, '0')}0${slot}`,
    title: `Product ${number}-${slot}, with "quotes" and a comma`,
    click: `${slot}0.5`,
    conversion: `${slot}.25`,
  }));
  return {
    rank: String(number),
    term: `term ${number}`,
    brands: ['Acme', 'Bolt', 'Corvid'],
    categories: ['Kitchen', 'Home', 'Toys'],
    products,
    date: '2026-07-11',
    ...given,
  };
}

/** Rows 1 to count, those at the given numbers replaced. */
export function fixtureRows(count: number, given: Readonly<Record<number, Partial<FixtureRow>>> = {}): FixtureRow[] {
  return Array.from({ length: count }, (_, index) => fixtureRow(index + 1, given[index + 1]));
}

/** Native files quote every field. */
export function quoted(fields: readonly string[]): string {
  return fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',');
}

export function currentFields(row: FixtureRow): string[] {
  const products = row.products.flatMap((product) => [product.asin, product.title, product.click, product.conversion]);
  return [row.rank, row.term, ...row.brands, ...row.categories, ...products, row.date];
}

export function currentReport(rows: readonly FixtureRow[], header: readonly string[] = CURRENT_HEADER): string {
  return [WEEK_LINE, quoted(header), ...rows.map((row) => quoted(currentFields(row)))]
    .map((line) => `${line}\n`)
    .join('');
}

export function olderReport(rows: readonly FixtureRow[], departments: readonly string[] = []): string {
  const lines = rows.map((row, position) => {
    const products = row.products.flatMap((product) => [
      product.asin,
      product.title,
      `${product.click}%`,
      product.conversion === '' ? '' : `${product.conversion}%`,
    ]);
    return quoted([departments[position] ?? 'Amazon.com', row.term, row.rank, ...products]);
  });
  return [WEEK_LINE, quoted(OLDER_HEADER), ...lines].map((line) => `${line}\n`).join('');
}

/** What a spreadsheet makes of a report: quotes only where needed, padded first line, American dates, CR LF. */
export function resavedReport(rows: readonly FixtureRow[]): string {
  const bare = (field: string) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
  const metadata = ['Reporting Range=["Weekly"]', 'Select week=["Week 28 | 2026-07-05 - 2026-07-11 2026"]'];
  const padded = [...metadata, ...Array.from({ length: CURRENT_HEADER.length - 2 }, () => '')];
  const blank = CURRENT_HEADER.map(() => '');
  const lines = [padded, CURRENT_HEADER, ...rows.map((row) => currentFields({ ...row, date: '7/11/2026' })), blank];
  return `\uFEFF${lines.map((fields) => `${fields.map(bare).join(',')}\r\n`).join('')}`;
}

export function walmartReport(rows: readonly FixtureRow[], date = '2026-07-10'): string {
  const header = [
    'reportDate',
    'searchKeyword',
    'searchKeywordFrequencyRank',
    ...SLOTS.flatMap((slot) =>
      ['Id', 'Name', 'BrandName', 'ClickShare', 'ConversionShare'].map((name) => `item${slot}${name}`),
    ),
  ];
  const lines = rows.map((row) =>
    quoted([
      date,
      row.term,
      row.rank,
      ...row.products.flatMap((product, slot) => [
        String(500_000 + Number(row.rank) * 10 + slot),
        product.title,
        row.brands[slot] ?? '',
        product.click,
        product.conversion,
      ]),
    ]),
  );
  return [header.join(','), ...lines].map((line) => `${line}\n`).join('');
}

export interface JsonFixture {
  readonly rows: readonly FixtureRow[];
  readonly isSpecificationLast?: boolean;
  readonly departments?: readonly string[];
  readonly period?: string;
}

/** One record per department, term and product; shares as fractions. */
export function jsonReport({
  rows,
  isSpecificationLast,
  departments = ['Amazon.com'],
  period = 'WEEK',
}: JsonFixture): string {
  const fraction = (percent: string) => (percent === '' ? null : Number(percent) / 100);
  const records = departments.flatMap((departmentName, department) =>
    rows.flatMap((row) =>
      row.products.map((product, slot) => ({
        departmentName,
        searchTerm: row.term,
        searchFrequencyRank: Number(row.rank) + department * 1000,
        clickedAsin: product.asin,
        clickedItemName: product.title,
        clickShareRank: slot + 1,
        clickShare: fraction(product.click),
        conversionShare: fraction(product.conversion),
      })),
    ),
  );
  const specification = {
    reportSpecification: {
      reportType: 'GET_BRAND_ANALYTICS_SEARCH_TERMS_REPORT',
      reportOptions: { reportPeriod: period },
      dataStartTime: '2026-07-05',
      dataEndTime: '2026-07-11',
      marketplaceIds: ['ATVPDKIKX0DER'],
    },
  };
  const data = { dataByDepartmentAndSearchTerm: records };
  return JSON.stringify(isSpecificationLast ? { ...data, ...specification } : { ...specification, ...data });
}

/** Writes a report to a directory, compressed when its name says so, and returns its path. */
export async function writeReport(directory: string, name: string, content: string | Buffer): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, name.endsWith('.gz') ? gzipSync(content) : content);
  return path;
}
