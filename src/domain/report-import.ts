// A report file that an operator sends over HTTP, and what became of it: sent in parts, checked without publishing anything, shown
// to the operator, published, and undone if need be. Everything that takes long is done by a worker (uploads/import-worker.ts).
import type { Tenant, UserId } from './account.ts';
import { RequestError } from './error.ts';
import type { Slice } from './page.ts';
import { type Frequency, parsePeriodKey } from './period.ts';
import type { SharedPage } from './shared-item.ts';
import type { RankSource } from './store.ts';
import type { StoredFile } from './stored-file.ts';

export const IMPORT_STATES = [
  'uploading',
  'uploaded',
  'checking',
  'checked',
  'approved',
  'importing',
  'done',
  'undo_requested',
  'undoing',
  'undone',
  'failed',
  'cancelled',
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** What the worker takes up, and what it is called meanwhile. */
export const WORKED_STATES = {
  uploaded: 'checking',
  approved: 'importing',
  undo_requested: 'undoing',
} as const satisfies Partial<Record<ImportState, ImportState>>;

/** States in which the file of an import is needed. */
export const STATES_WITH_FILE: readonly ImportState[] = [
  ...(['uploading', 'uploaded', 'checking', 'checked', 'approved', 'importing', 'failed'] as const),
];

/** Imports that are not over, of all operators together. */
export const MAX_OPEN_IMPORTS = 20;
/** Imports that are remembered; the oldest that are over are forgotten. */
export const MAX_KEPT_IMPORTS = 1000;
/** A part of a file; as much arrives within the time that a request may take. */
export const MAX_PART_BYTES = 32 * 1024 * 1024;
/** Parts that are on their way to one server. */
export const MAX_RUNNING_PARTS = 8;
export const MAX_FILE_NAME_BYTES = 200;
export const MAX_FINGERPRINT_CHARACTERS = 128;

export interface ImportChoices {
  /** Undefined: as the file says, then the default. */
  readonly marketplace: string | null;
  readonly frequency: Frequency | null;
  readonly period: string | null;
  readonly source: RankSource;
  /** Largest share of bad rows, in percent. */
  readonly maxRejects: number;
  readonly replacesSmaller: boolean;
  /** Publishes by itself what has no rejects and no warnings, and replaces nothing. */
  readonly publishesWhenClean: boolean;
}

export interface NewImport extends ImportChoices {
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly fingerprint: string | null;
}

export interface JobProgress {
  readonly stage: string;
  readonly bytes_done: number;
  readonly bytes_total: number;
  readonly rows: number | null;
  readonly bytes_per_second: number | null;
}

/** Of a period that is published, where a report would take or took its place. */
export interface ReplacedPeriod {
  readonly revision: number;
  readonly keywords: number;
  readonly data_points: number;
  readonly published_at: string;
  readonly source_file: string;
}

export const PERIOD_STATUSES = ['checked', 'published', 'unchanged', 'undone'] as const;
export type PeriodStatus = (typeof PERIOD_STATUSES)[number];

export interface ReportedPeriod {
  readonly marketplace: string;
  readonly source: RankSource;
  readonly type: Frequency;
  readonly period: string;
  readonly status: PeriodStatus;
  readonly revision: number;
  readonly keywords: number;
  readonly new_terms: number | null;
  readonly data_points: number;
  readonly warnings: readonly string[];
  readonly replaces: ReplacedPeriod | null;
}

/** What `keyrank import --json` printed of the file. */
export interface ImportReport {
  readonly import_id: string;
  readonly format: string | null;
  readonly rows: number;
  readonly merged_twins: number;
  readonly removed_nuls: number;
  readonly department_rows: number;
  readonly rejected_rows: number;
  readonly rejects: readonly {
    readonly reason: string;
    readonly explanation: string;
    readonly rows: number;
    readonly first_line: number;
    readonly first_search_term: string;
    readonly first_detail: string;
  }[];
  readonly has_rejects_file: boolean;
  /** Where they lie for all servers; absent where that is the data directory alone. */
  readonly stored_rejects?: StoredFile;
  readonly first_rows: readonly { readonly rank: number; readonly search_term: string }[];
  readonly periods: readonly ReportedPeriod[];
  readonly duration_ms: number;
}

export interface ImportFault {
  readonly message: string;
  readonly hint: string | null;
  readonly line: number | null;
}

export interface ReportImport extends NewImport {
  readonly id: string;
  readonly state: ImportState;
  readonly uploadedBytes: number;
  /** The data directory that the file lies in, and the machine that it was sent to. */
  readonly place: string;
  readonly host: string;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly progress: JobProgress | null;
  readonly report: ImportReport | null;
  readonly fault: ImportFault | null;
}

/** A part of a file on its way. */
export interface SentPart {
  readonly offset: number;
  /** SHA-256 of the part, if it was given. */
  readonly sha256: Uint8Array | undefined;
  readonly declaredBytes: number | undefined;
  /** Read once; throws a RequestError when it ends early or is too long. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** What the endpoints work with. Each throws a RequestError where the state of the import does not allow it. */
export interface ReportImports {
  create(given: NewImport, by: UserId): Promise<ReportImport>;
  list(slice: Slice): Promise<SharedPage<ReportImport>>;
  find(id: string): Promise<ReportImport | undefined>;
  receive(found: ReportImport, part: SentPart): Promise<ReportImport>;
  /** Other choices: the file is checked again. */
  change(found: ReportImport, choices: Partial<ImportChoices>): Promise<ReportImport>;
  publish(found: ReportImport, by: Tenant): Promise<ReportImport>;
  undo(found: ReportImport, by: Tenant): Promise<ReportImport>;
  cancel(found: ReportImport): Promise<ReportImport>;
  openRejects(found: ReportImport): Promise<AsyncIterable<Uint8Array>>;
}

const UNSAFE_NAME = /[/\\\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

/** The name of a file is part of a path: it must be a plain one. */
export function findFileNameFault(name: string): string | undefined {
  if (UNSAFE_NAME.test(name)) return 'has a slash, a backslash or an invisible character';
  if (/^\./.test(name)) return 'begins with a dot';
  if (new TextEncoder().encode(name).length > MAX_FILE_NAME_BYTES) return `is longer than ${MAX_FILE_NAME_BYTES} bytes`;
  return undefined;
}

/** A period key says nothing without its frequency. */
export function checkChoices({ frequency, period }: Pick<ImportChoices, 'frequency' | 'period'>): void {
  if (period === null) return;
  if (frequency === null) {
    throw new RequestError('INVALID_PARAMETERS', "Field 'period' needs 'type'.", 'Add "type": "weekly" or "monthly".');
  }
  if (parsePeriodKey(period, frequency)) return;
  throw new RequestError(
    'INVALID_PARAMETERS',
    `Field 'period' is no ${frequency} period.`,
    'Months are written MM-YYYY, ISO weeks WW-YYYY.',
  );
}

/** Nothing about it that a person would want to look at first. */
export function isClean({ rejected_rows: rejectedRows, periods }: ImportReport): boolean {
  return rejectedRows === 0 && periods.every(({ warnings, replaces }) => warnings.length === 0 && replaces === null);
}

/** The periods that an import published, as far as they can be undone. */
export function undoable({ state, report }: ReportImport): readonly ReportedPeriod[] {
  return state === 'done' ? (report?.periods.filter(({ status }) => status === 'published') ?? []) : [];
}
