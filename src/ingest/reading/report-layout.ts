// Which format a CSV report has and how its rows are laid out, read from its first lines. Columns are found by name, never by
// position.
import type { CsvFormat, ReportColumn, ReportFormat, ReportMetadata } from '../formats/report-format.ts';
import { parseCsvRecord } from './csv-record.ts';
import { ReportFault, type ReportLimits } from './report-fault.ts';

export interface ReportLayout {
  readonly format: ReportFormat;
  /** One entry per column of the file; undefined where the column is unknown and is skipped. */
  readonly columns: readonly (ReportColumn | undefined)[];
  /** Names of the columns that were not recognised and are skipped. */
  readonly unknownColumns: readonly string[];
  /** Lines before the first row of data. */
  readonly skipLines: number;
  readonly metadata: ReportMetadata;
}

/** The header stands in the first lines or nowhere. */
const MAX_HEADER_LINE = 10;

interface ColumnPlan {
  readonly format: CsvFormat;
  readonly columns: readonly (ReportColumn | undefined)[];
}

interface HeaderFault {
  readonly format: CsvFormat;
  readonly what: 'lacks' | 'has twice';
  readonly names: readonly string[];
}

interface LayoutOptions {
  readonly formats: readonly ReportFormat[];
  readonly limits: Pick<ReportLimits, 'columns'>;
}

/** Reads the layout from the beginning of a file, which must hold at least the header. */
export function parseLayout(head: string, { formats, limits }: LayoutOptions): ReportLayout {
  const csvFormats = formats.filter((format) => format.kind === 'csv');
  const linesBefore: (readonly string[])[] = [];
  let fault: HeaderFault | undefined;
  let faultLine = 1;
  let position = head.startsWith('\uFEFF') ? 1 : 0;
  for (let lines = 0; lines < MAX_HEADER_LINE && position < head.length; ) {
    const record = parseCsvRecord(head, position, { maxFields: limits.columns + 1 });
    const line = lines + 1;
    if (record.fields.length > limits.columns) throw tooWide(limits.columns, line);
    lines += head.slice(position, record.end).split('\n').length - 1;
    position = record.end;
    const plan = planColumns(record.fields, csvFormats);
    if (plan && 'columns' in plan) {
      const unknownColumns = record.fields.filter((name, column) => !plan.columns[column] && name.trim() !== '');
      const metadata = Object.assign({}, ...linesBefore.map((fields) => plan.format.parseMetadataLine?.(fields)));
      return { ...plan, unknownColumns, skipLines: lines, metadata };
    }
    if (plan) [fault, faultLine] = [plan, line];
    linesBefore.push(record.fields);
  }
  throw fault ? headerError(fault, faultLine) : unknownReport(formats);
}

/** Maps a header, or says what is wrong with it in the format it resembles most; undefined when it is no header. */
function planColumns(header: readonly string[], formats: readonly CsvFormat[]): ColumnPlan | HeaderFault | undefined {
  const candidates = formats.map((format) => ({
    format,
    columns: header.map((name) => format.headers.get(headerKey(name))),
  }));
  const [best] = candidates.toSorted((a, b) => countKnown(b.columns) - countKnown(a.columns));
  // One known word is no header: a data row may well hold "rank" as its search term.
  if (!best || countKnown(best.columns) < 2) return undefined;
  const { format, columns } = best;
  const missing = format.required.filter((column) => !columns.includes(column));
  if (missing.length > 0) return { format, what: 'lacks', names: missing.map((column) => nameOf(format, column)) };
  const twice = columns.filter((column, position) => column !== undefined && columns.indexOf(column) !== position);
  if (twice.length === 0) return best;
  return { format, what: 'has twice', names: twice.map((column) => (column ? nameOf(format, column) : '')) };
}

function countKnown(columns: readonly (ReportColumn | undefined)[]): number {
  return columns.filter((column) => column !== undefined).length;
}

function nameOf(format: CsvFormat, column: ReportColumn): string {
  for (const [name, target] of format.headers) if (target === column) return name;
  return column;
}

function headerKey(name: string): string {
  return name
    .replace(/^\uFEFF/, '')
    .replace(/\s*：\s*/g, ': ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

function tooWide(columns: number, line: number): ReportFault {
  return new ReportFault(`The line has more than ${columns.toLocaleString('en-US')} columns.`, {
    line,
    hint: 'No report has so many. If this one is right, raise KEYRANK_IMPORT_MAX_COLUMNS.',
  });
}

function unknownReport(formats: readonly ReportFormat[]): ReportFault {
  return new ReportFault('This is not a report that keyrank knows: no header row was found in its first lines.', {
    line: 1,
    hint: `Import one of these: ${formats.map(({ name }) => name).join('; ')}.`,
  });
}

function headerError({ format, what, names }: HeaderFault, line: number): ReportFault {
  const quoted = names.map((name) => `"${name}"`).join(', ');
  return new ReportFault(`The header looks like that of ${format.name} but ${what}: ${quoted}.`, {
    line,
    hint: 'Download the report again, or put the columns back as they were.',
  });
}
