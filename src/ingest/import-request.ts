import type { PublicationStage, RankPublisher } from '../domain/rank-publisher.ts';
import type { RankSource } from '../domain/store.ts';
import type { ReportFormat } from './formats/report-format.ts';
import type { ReportLimits } from './reading/report-fault.ts';
import type { ReportFlags } from './reading/report-period.ts';
import type { SessionRows } from './session-rows.ts';

/** Share of bad rows above which a file is refused. */
export const DEFAULT_MAX_REJECTS = 0.01;
export const DEFAULT_MEMORY_LIMIT_BYTES = 1_500_000_000;

/** What an import is doing. Reading and unpacking have a measurable size; the other stages take seconds. */
export type ImportStage = 'waiting' | 'unpacking' | 'reading' | 'checking' | PublicationStage;

export interface ImportProgress {
  readonly file: string;
  readonly stage: ImportStage;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  /** Known once the rows were read. */
  readonly rows?: number;
}

export interface ImportFile {
  readonly path: string;
  /** What its ranks are of; files do not say. */
  readonly source: RankSource;
  /** In place of those of all files. */
  readonly flags?: ReportFlags;
}

export interface ImportOptions {
  readonly flags: ReportFlags;
  readonly isDryRun: boolean;
  /** Largest share of bad rows, from 0 to 1. */
  readonly maxRejects: number;
  /** Whether a file may replace a period of more than twice its size. */
  readonly replacesSmaller: boolean;
  /** For files that do not say where they are from. */
  readonly defaultMarketplace: string;
  /** The most that are used; small files need one. */
  readonly threads: number;
  readonly limits: ReportLimits;
  /** That files may have; all that are known unless given. */
  readonly formats?: readonly ReportFormat[];
  /** For DuckDB; the process needs a few hundred megabytes more. */
  readonly memoryLimitBytes: number;
}

export interface ImportRequest {
  /** Taken one at a time, so that a file need not exist before the one before it was read. */
  readonly files: Iterable<ImportFile> | AsyncIterable<ImportFile>;
  readonly options: ImportOptions;
  readonly publisher: RankPublisher<SessionRows>;
  /** For the logs of imports, and what they need meanwhile. */
  readonly dataDirectory: string;
  readonly onProgress: (progress: ImportProgress) => void;
  /** Told in plain words of damage that was found and mended. */
  readonly onWarning?: (message: string) => void;
  readonly now: () => Date;
  readonly signal?: AbortSignal | undefined;
  /** All files become visible in one step at the end, or none of them. */
  readonly publishTogether?: boolean;
}
