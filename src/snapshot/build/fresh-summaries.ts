// The summaries of the documents that a build puts in: best, worst and average rank, in how many periods and since which one. Their ranks
// are looked up in each period, slots in ascending order and some at a time, so that what is looked at lies close together.
import { averageRankHundredths } from '../../domain/ranking.ts';
import { gatherValues, type SparseColumn } from '../format/sparse-column.ts';
import { sortPairs } from './key-order.ts';

const BLOCK_SLOTS = 4096;

/** Of the terms in these slots, each of which has a rank, in their order. Periods are those of `ranks`, oldest first. */
export function summarizeSlots(ranks: readonly SparseColumn[], slots: Uint32Array) {
  const best = new Uint32Array(slots.length);
  const worst = new Uint32Array(slots.length);
  const average = new Uint32Array(slots.length);
  const totals = new Uint16Array(slots.length);
  const firsts = new Uint16Array(slots.length);
  const block = newBlock();
  const sorted = sortPairs({ numbers: Uint32Array.from(slots.keys()), keys: slots });
  for (let first = 0; first < slots.length; first += BLOCK_SLOTS) {
    const ordered = sorted.keys.subarray(first, first + BLOCK_SLOTS);
    summarizeBlock(block, { ranks, slots: ordered });
    for (let i = 0; i < ordered.length; i += 1) {
      const at = sorted.numbers[first + i] ?? 0;
      best[at] = block.best[i] ?? 0;
      worst[at] = block.worst[i] ?? 0;
      average[at] = averageRankHundredths({ rankSum: block.sums[i] ?? 0, periodCount: block.counts[i] ?? 0 });
      totals[at] = block.counts[i] ?? 0;
      firsts[at] = block.firsts[i] ?? 0;
    }
  }
  return {
    'best-rank': best,
    'worst-rank': worst,
    'avg-rank': average,
    'total-periods': totals,
    'first-period': firsts,
  };
}

type Block = ReturnType<typeof newBlock>;

function newBlock() {
  return {
    best: new Uint32Array(BLOCK_SLOTS),
    worst: new Uint32Array(BLOCK_SLOTS),
    sums: new Float64Array(BLOCK_SLOTS),
    counts: new Uint16Array(BLOCK_SLOTS),
    firsts: new Uint16Array(BLOCK_SLOTS),
    values: new Uint32Array(BLOCK_SLOTS),
  };
}

function summarizeBlock(
  { best, worst, sums, counts, firsts, values }: Block,
  { ranks, slots }: { readonly ranks: readonly SparseColumn[]; readonly slots: Uint32Array },
): void {
  best.fill(0xffffffff);
  worst.fill(0);
  sums.fill(0);
  counts.fill(0);
  for (let period = 0; period < ranks.length; period += 1) {
    const column = ranks[period];
    // Slots ascend: a column that ends before the first of them has none of their ranks.
    if (!column || column.length <= (slots[0] ?? 0)) continue;
    values.set(slots);
    gatherValues(column, { values, count: slots.length, width: 1, from: 0, to: 0 });
    for (let i = 0; i < slots.length; i += 1) {
      const rank = values[i] ?? 0;
      if (rank === 0) continue;
      const count = counts[i] ?? 0;
      if (count === 0) firsts[i] = period;
      counts[i] = count + 1;
      sums[i] = (sums[i] ?? 0) + rank;
      if (rank < (best[i] ?? 0)) best[i] = rank;
      if (rank > (worst[i] ?? 0)) worst[i] = rank;
    }
  }
}
