// What is looked at at once of two columns of ranks.

/** Slots at equal distances, at most a page of them: those of a page, or of a sample. */
export interface SlotBatch {
  firstSlot: number;
  step: number;
  /** How many of them have a rank in the newer period and are wanted by the filters. */
  count: number;
  /** Their numbers in the batch, ascending, and their newer ranks. */
  readonly numbers: Uint32Array;
  readonly latestRanks: Uint32Array;
  /** By number in the batch; 0 for none. */
  readonly previousRanks: Uint32Array;
}

/** Leaves out what the filters of a list do not want. */
export type KeepWanted = (batch: SlotBatch) => void;
