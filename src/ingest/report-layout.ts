// How the rows of a CSV report are laid out, read from its first lines.
import { parseCsvRecord } from './csv-record.ts';
import { type HeaderFault, planColumns, type ReportColumn, type ReportFormat } from './report-columns.ts';
import { ReportFault } from './report-fault.ts';
import type { ReportLimits } from './report-limits.ts';
import { parseMetadataLine, type ReportMetadata } from './report-metadata.ts';

/** Reports of Amazon and Walmart give shares in percent, with or without the sign; SP-API gives fractions of one. */
export type ShareScale = 'percent' | 'fraction';

export interface ReportLayout {
  readonly format: ReportFormat;
  readonly columns: readonly (ReportColumn | undefined)[];
  /** Names of the columns that were not recognised and are skipped. */
  readonly unknownColumns: readonly string[];
  /** Lines before the first row of data. */
  readonly skipLines: number;
  readonly shareScale: ShareScale;
  readonly metadata: ReportMetadata;
}

/** The header stands in the first lines or nowhere. */
const MAX_HEADER_LINE = 10;

const FORMAT_NAMES: Readonly<Record<ReportFormat, string>> = {
  amazon: 'Amazon "Top Search Terms"',
  walmart: 'Walmart "Top Search Trends"',
  plain: 'a plain rank file',
};

/** Reads the layout from the beginning of a file, which must hold at least the header. */
export function parseLayout(head: string, limits: Pick<ReportLimits, 'columns'>): ReportLayout {
  let metadata: ReportMetadata = {};
  let fault: HeaderFault = { kind: 'not-a-header' };
  let faultLine = 1;
  let position = head.startsWith('\uFEFF') ? 1 : 0;
  for (let lines = 0; lines < MAX_HEADER_LINE && position < head.length; ) {
    const record = parseCsvRecord(head, position, { maxFields: limits.columns + 1 });
    const line = lines + 1;
    if (record.fields.length > limits.columns) throw tooWide(limits.columns, line);
    lines += head.slice(position, record.end).split('\n').length - 1;
    position = record.end;
    const plan = planColumns(record.fields);
    if ('columns' in plan) {
      const unknownColumns = record.fields.filter((name, column) => !plan.columns[column] && name.trim() !== '');
      return { ...plan, unknownColumns, skipLines: lines, shareScale: 'percent', metadata };
    }
    if (plan.kind !== 'not-a-header') [fault, faultLine] = [plan, line];
    metadata = { ...metadata, ...parseMetadataLine(record.fields) };
  }
  throw headerError(fault, faultLine);
}

function tooWide(columns: number, line: number): ReportFault {
  return new ReportFault(`The line has more than ${columns.toLocaleString('en-US')} columns.`, {
    line,
    hint: 'No report has so many. If this one is right, raise KEYRANK_IMPORT_MAX_COLUMNS.',
  });
}

function headerError(fault: HeaderFault, line: number): ReportFault {
  if (fault.kind === 'not-a-header') {
    return new ReportFault('This is not a report that keyrank knows: no header row was found in its first lines.', {
      line,
      hint: 'Import Amazon "Top Search Terms" (CSV or SP-API JSON), Walmart "Top Search Trends" CSV, or a plain CSV with the header period_type,period,search_term,rank.',
    });
  }
  const names = fault.names.map((name) => `"${name}"`).join(', ');
  const what = fault.kind === 'missing' ? 'lacks' : 'has twice';
  return new ReportFault(`The header looks like that of ${FORMAT_NAMES[fault.format]} but ${what}: ${names}.`, {
    line,
    hint: 'Download the report again, or put the columns back as they were.',
  });
}
