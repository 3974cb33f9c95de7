// What an export writes, whatever the file form: rows in the order of the search, the periods its plan can see, and a
// description of where the rows come from. Every form (workbook, CSV, NDJSON) takes the same value.
import type { Frequency, Period } from './period.ts';
import type { SearchRow } from './search-row.ts';

/** Spec 4.1: what the period columns of an export show. */
export const VALUE_FORMATS = ['raw', 'delta', 'percentage'] as const;
export type ValueFormat = (typeof VALUE_FORMATS)[number];

export const FILE_FORMATS = ['xlsx', 'csv', 'ndjson', 'parquet'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** Reports name at most three products per keyword; more are not written. */
export const MAX_PRODUCTS = 3;

/** A choice of the request that narrows or orders the rows, in words for people: `Brand`, `acme; bolt`. */
interface ExportFilter {
  readonly name: string;
  readonly value: string;
}

interface ExportDescription {
  readonly queries: readonly string[];
  readonly filters: readonly ExportFilter[];
  /** In words: `Pro: the last 24 months`. */
  readonly planWindow: string;
  readonly dataVersion: string;
  /** Exactly as many rows as the batches will hold; a writer fails when they disagree. */
  readonly rowCount: number;
  readonly exportedAtMs: number;
  /** Notes on the chart, in the order of their days. */
  readonly events?: readonly { readonly date: string; readonly text: string }[];
}

/** All but the rows. */
export interface ExportContent {
  readonly description: ExportDescription;
  readonly frequency: Frequency;
  /** The visible periods of that frequency, oldest first; empty while nothing is published. */
  readonly periods: readonly Period[];
  readonly format: ValueFormat;
  /** Spec 4.1: 0 to 50. Changes smaller than this percentage are not coloured. */
  readonly colorThresholdPercent: number;
  /** Whether rows carry insights, and the file their columns. */
  readonly includesInsights: boolean;
}

export interface ExportFile {
  readonly content: ExportContent;
  readonly fileFormat: FileFormat;
  /** For forms that cannot be written from start to end. Made when it does not exist yet. */
  readonly temporaryDirectory: string;
}

export interface KeywordExport extends ExportContent {
  /**
   * Read once, one batch at a time; whatever it holds open must be opened by its first step and closed by `return`. An
   * open export keeps one batch in memory, so a hundred rows or so are a good size.
   */
  readonly batches: AsyncIterable<readonly SearchRow[]>;
}
