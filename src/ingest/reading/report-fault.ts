import { OperatorError } from '../../domain/error.ts';

/** What a report may be. Real ones are far below; beyond it a file is damaged, or made to harm. */
export interface ReportLimits {
  readonly columns: number;
  /** Of a line of CSV. JSON may stand on one line. */
  readonly lineBytes: number;
  /** Of the whole report, unpacked. What is spilled to disk while it is read is bounded by it too. */
  readonly unpackedBytes: number;
  /** Unpacked bytes per packed one. */
  readonly unpackedRatio: number;
}

export const DEFAULT_REPORT_LIMITS: ReportLimits = {
  columns: 250,
  lineBytes: 1024 * 1024,
  unpackedBytes: 20_000_000_000,
  unpackedRatio: 100,
};

/** Something is wrong with a report as a whole, and can be seen on this line of it. */
export class ReportFault extends OperatorError {
  readonly line: number;

  constructor(
    message: string,
    options: { readonly line: number; readonly hint?: string | undefined; readonly cause?: unknown },
  ) {
    super(message, { ...(options.hint !== undefined && { hint: options.hint }), cause: options.cause });
    this.name = 'ReportFault';
    this.line = options.line;
  }
}
