// SP-API reports: one record per term and clicked product. The records of a term stand together and become one row of a
// CSV file, which then takes the same way as every other report.
import { open } from 'node:fs/promises';
import { findMarketplaceById, WHOLE_SITE_DEPARTMENTS } from '../domain/marketplace.ts';
import { parseIsoDate } from '../domain/period.ts';
import { JsonScanner } from './json-scanner.ts';
import { type PlainFileOptions, readBytes, tooLarge } from './plain-file.ts';
import type { ReportLayout } from './report-layout.ts';
import type { ReportingRange, ReportMetadata } from './report-metadata.ts';
import { SLOTS } from './report-rows.ts';

const RECORDS_KEY = 'dataByDepartmentAndSearchTerm';
const WRITE_CHARACTERS = 1024 * 1024;

const RANGES: Readonly<Record<string, ReportingRange>> = {
  WEEK: 'weekly',
  MONTH: 'monthly',
  QUARTER: 'quarterly',
  DAY: 'daily',
};

/** The rows that this reader writes. */
const LAYOUT: Omit<ReportLayout, 'metadata'> = {
  format: 'amazon',
  columns: [
    'rank',
    'term',
    ...SLOTS.flatMap((slot) => [`asin_${slot}`, `title_${slot}`, `click_${slot}`, `conversion_${slot}`] as const),
  ],
  unknownColumns: [],
  skipLines: 0,
  shareScale: 'fraction',
};

export interface JsonReport {
  readonly layout: ReportLayout;
  readonly marketplace: string | undefined;
  /** Records of single departments, whose ranks are not those of the shop. */
  readonly departmentRecords: number;
}

interface TermRow {
  readonly rank: string;
  readonly term: string;
  readonly products: (readonly string[])[];
}

/** Streams a report into rows at copyPath. Nothing but the term at hand is held in memory. */
export async function convertJsonReport(options: PlainFileOptions): Promise<JsonReport> {
  const scanner = new JsonScanner(RECORDS_KEY);
  const copy = await open(options.copyPath, 'w');
  let row: TermRow | undefined;
  let text = '';
  let departmentRecords = 0;
  let writtenCharacters = 0;
  try {
    for await (const chunk of readBytes(options)) {
      for (const record of scanner.push(chunk)) {
        if (!isWholeSite(record)) {
          departmentRecords += 1;
          continue;
        }
        const next = startRow(record);
        if (row && row.term === next.term && row.rank === next.rank) {
          addProduct(row, record);
          continue;
        }
        if (row) text += presentRow(row);
        row = next;
        addProduct(row, record);
      }
      if (text.length < WRITE_CHARACTERS) continue;
      await copy.write(text);
      writtenCharacters += text.length;
      if (writtenCharacters > options.limits.unpackedBytes) throw tooLarge(options.limits, scanner.line);
      text = '';
    }
    scanner.finish();
    await copy.write(text + (row ? presentRow(row) : ''));
  } finally {
    await copy.close();
  }
  return { ...parseSpecification(scanner.values.get('reportSpecification')), departmentRecords };
}

function parseSpecification(specification: unknown): Pick<JsonReport, 'layout' | 'marketplace'> {
  const period = String(member(member(specification, 'reportOptions'), 'reportPeriod') ?? '').toUpperCase();
  const range = RANGES[period];
  const endDate = parseIsoDate(String(member(specification, 'dataEndTime') ?? '').slice(0, 10));
  const metadata: ReportMetadata = { ...(range && { range }), ...(endDate && { endDate }) };
  const ids = member(specification, 'marketplaceIds');
  const marketplace = Array.isArray(ids) ? findMarketplaceById(String(ids[0])) : undefined;
  return { layout: { ...LAYOUT, metadata }, marketplace };
}

function isWholeSite(record: unknown): boolean {
  const department = member(record, 'departmentName');
  return typeof department !== 'string' || WHOLE_SITE_DEPARTMENTS.has(department.trim().toLowerCase());
}

function startRow(record: unknown): TermRow {
  return { rank: cell(member(record, 'searchFrequencyRank')), term: cell(member(record, 'searchTerm')), products: [] };
}

function addProduct(row: TermRow, record: unknown): void {
  const asin = member(record, 'clickedAsin');
  if (asin === undefined || asin === null) return;
  const slot = Number(member(record, 'clickShareRank') ?? row.products.length + 1);
  if (!SLOTS.some((known) => known === slot)) return;
  row.products[slot - 1] = [
    cell(asin),
    cell(member(record, 'clickedItemName')),
    cell(member(record, 'clickShare')),
    cell(member(record, 'conversionShare')),
  ];
}

function presentRow({ rank, term, products }: TermRow): string {
  const fields = [rank, term, ...SLOTS.flatMap((slot) => products[slot - 1] ?? ['', '', '', ''])];
  return `${fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',')}\n`;
}

/** Text for one field of one line. Values of other types are kept as text, for the row's checks to judge. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NULs are what is removed here.
  return text.replace(/\u0000/g, '').replace(/[\r\n]+/g, ' ');
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
