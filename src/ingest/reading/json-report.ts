// JSON reports have one record per term and clicked product. The records of a term stand together and become one row of a CSV file,
// which then takes the same way as every other report.
import { open } from 'node:fs/promises';
import {
  type JsonFormat,
  PRODUCT_COLUMNS,
  type ReportFormat,
  SLOTS,
  type TermRecord,
} from '../formats/report-format.ts';
import { JsonScanner } from './json-scanner.ts';
import { type PlainFileOptions, readBytes, tooLarge } from './plain-file.ts';
import type { ReportLayout } from './report-layout.ts';

const WRITE_CHARACTERS = 1024 * 1024;

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
export async function convertJsonReport(
  options: PlainFileOptions & { readonly formats: readonly ReportFormat[] },
): Promise<JsonReport> {
  const formats = new Map<string | undefined, JsonFormat>();
  for (const format of options.formats) if (format.kind === 'json') formats.set(format.recordsKey, format);
  const scanner = new JsonScanner([...formats.values()].map(({ recordsKey }) => recordsKey));
  await using copy = await open(options.copyPath, 'w');
  let row: TermRow | undefined;
  let text = '';
  let departmentRecords = 0;
  let writtenCharacters = 0;
  for await (const chunk of readBytes(options)) {
    const elements = scanner.push(chunk);
    const format = formats.get(scanner.arrayKey);
    for (const element of elements) {
      const record = format?.parseRecord(element);
      if (!record) {
        departmentRecords += 1;
        continue;
      }
      const next: TermRow = { rank: cell(record.rank), term: cell(record.term), products: [] };
      const isSameTerm = row && row.term === next.term && row.rank === next.rank;
      if (row && !isSameTerm) text += presentRow(row);
      row = row && isSameTerm ? row : next;
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
  const format = formats.get(scanner.arrayKey);
  if (!format) throw new Error('the scanner found a list of no format');
  const { metadata, marketplace } = format.parseSpecification(scanner.values);
  const columns = ['rank', 'term', ...PRODUCT_COLUMNS] as const;
  return { layout: { format, columns, unknownColumns: [], skipLines: 0, metadata }, marketplace, departmentRecords };
}

function addProduct(row: TermRow, { product }: TermRecord): void {
  if (!product) return;
  const slot = Number(product.slot ?? row.products.length + 1);
  if (!SLOTS.some((known) => known === slot)) return;
  const { id, title, clickShare, conversionShare } = product;
  row.products[slot - 1] = [cell(id), cell(title), cell(clickShare), cell(conversionShare)];
}

function presentRow({ rank, term, products }: TermRow): string {
  const fields = [rank, term, ...SLOTS.flatMap((slot) => products[slot - 1] ?? ['', '', '', ''])];
  return `${fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',')}\n`;
}

/** Text for one field of one line. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NULs are what is removed here.
  return text.replace(/\u0000/g, '').replace(/[\r\n]+/g, ' ');
}
