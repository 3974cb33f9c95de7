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
