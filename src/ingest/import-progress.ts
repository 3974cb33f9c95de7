/** What an import is doing. Reading and unpacking have a measurable size; the other stages take seconds. */
export type ImportStage =
  | 'waiting'
  | 'unpacking'
  | 'reading'
  | 'checking'
  | 'numbering'
  | 'writing'
  | 'snapshot'
  | 'publishing';

export interface ImportProgress {
  readonly file: string;
  readonly stage: ImportStage;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  /** Known once the rows were read. */
  readonly rows?: number;
}
