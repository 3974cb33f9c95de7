// The ranks of a period as a plain array by slot, 0 for none: what a pass over them costs at least.
import { type SparseColumn, walkValues } from '../../src/snapshot/format/sparse-column.ts';

export function denseRanks(ranks: SparseColumn | undefined): Uint32Array {
  const dense = new Uint32Array(ranks?.length ?? 0);
  if (ranks) {
    walkValues(ranks, (slot, rank) => {
      dense[slot] = rank;
    });
  }
  return dense;
}
