// The summary columns of a plan window, from the rank columns of its periods.
import { averageRankHundredths } from '../../domain/ranking.ts';
import { MAX_PERIODS, type SummaryColumn } from '../format/format.ts';
import { walkValues } from '../format/sparse-column.ts';
import type { BuildState } from './build-state.ts';

/** By document, and the list of new ones. Documents without a rank in the window have zeros; they stand behind all others and are never read. */
export function summarize(
  state: BuildState,
  periodCount: number,
): Readonly<Record<SummaryColumn, Uint32Array | Uint8Array>> {
  const periods = state.periods.slice(-periodCount);
  if (periods.length > MAX_PERIODS) throw new RangeError(`a snapshot holds at most ${MAX_PERIODS} periods`);
  const slotCount = state.slotTermIds.count;
  const best = new Uint32Array(slotCount);
  const worst = new Uint32Array(slotCount);
  const sums = new Float64Array(slotCount);
  const counts = new Uint8Array(slotCount);
  // Slot by slot within a period: every column is read once, from front to back.
  for (const { ranks } of periods) {
    walkValues(ranks, (slot, rank) => {
      const bestSoFar = best[slot] ?? 0;
      if (bestSoFar === 0 || rank < bestSoFar) best[slot] = rank;
      if (rank > (worst[slot] ?? 0)) worst[slot] = rank;
      sums[slot] = (sums[slot] ?? 0) + rank;
      counts[slot] = (counts[slot] ?? 0) + 1;
    });
  }
  const slots = state.documents['document-slot'];
  const summary = {
    'best-rank': new Uint32Array(state.documentCount),
    'worst-rank': new Uint32Array(state.documentCount),
    'avg-rank': new Uint32Array(state.documentCount),
    'total-periods': new Uint8Array(state.documentCount),
  };
  for (let document = 0; document < state.documentCount; document += 1) {
    const slot = slots[document] ?? 0;
    const count = counts[slot] ?? 0;
    if (count === 0) continue;
    summary['best-rank'][document] = best[slot] ?? 0;
    summary['worst-rank'][document] = worst[slot] ?? 0;
    summary['avg-rank'][document] = averageRankHundredths({ rankSum: sums[slot] ?? 0, periodCount: count });
    summary['total-periods'][document] = count;
  }
  return { ...summary, newcomer: listNewcomers(summary['total-periods'], periods.at(-1)?.documentCount ?? 0) };
}

/** Documents of the newest period have a rank in it; when they have one in all, they are new. */
function listNewcomers(totalPeriods: Uint8Array, newestCount: number): Uint32Array {
  const newcomers = new Uint32Array(newestCount);
  let count = 0;
  for (let document = 0; document < newestCount; document += 1) {
    newcomers[count] = document;
    count += totalPeriods[document] === 1 ? 1 : 0;
  }
  return newcomers.slice(0, count);
}
