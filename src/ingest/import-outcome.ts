import type { PeriodPlace, PublishedPeriod } from '../domain/store.ts';
import type { RejectCount } from './reading/reject.ts';

/** What became of one period of a file. */
export interface PeriodOutcome extends PeriodPlace, Pick<PublishedPeriod, 'keywords' | 'dataPoints' | 'digest'> {
  /** 'unchanged': the same content was published before; 'checked': a dry run. */
  readonly status: 'published' | 'unchanged' | 'checked';
  /** The revision that is published now; in a dry run, the one that would be. */
  readonly revision: number;
  /** What is published in its place before; undefined when there is nothing, or nothing changes. */
  readonly replaces?: PublishedPeriod;
  /** Keywords that no earlier period of this marketplace had; undefined when nothing was written. */
  readonly newTerms?: number;
  /** They stay with the period. */
  readonly warnings: readonly string[];
}

/** What became of one file. */
export interface FileOutcome {
  readonly file: string;
  /** Names the directory below imports/ with the log and the rejects. */
  readonly importId: string;
  readonly status: 'done' | 'failed';
  readonly error?: {
    readonly message: string;
    readonly hint?: string;
    /** Where the file is at fault, when it is the file. */
    readonly line?: number;
    /** Of a defect; for the log. */
    readonly stack?: string;
  };
  /** Of the file, once it was recognised. */
  readonly format?: string;
  /** The best ranks of a dry run. */
  readonly firstRows?: readonly { readonly rank: number; readonly term: string }[];
  /** All rows of the file that are not blank. */
  readonly rows: number;
  readonly mergedTwins: number;
  readonly removedNuls: number;
  /** Rows of single departments, which are left out. */
  readonly departmentRows: number;
  readonly rejectedRows: number;
  readonly rejects: readonly RejectCount[];
  readonly rejectsFile?: string;
  readonly periods: readonly PeriodOutcome[];
  readonly durationMs: number;
}
