// The summary of a window: best, worst and average rank of each of its documents, in how many of its periods it is, which is the
// first, and which documents are new. Builds write that of all periods; that of a narrower window is computed when a search first needs it.
import { averageRankHundredths } from '../../domain/ranking.ts';
import { PAGE_SLOTS, type SparseColumn, walkValues } from './sparse-column.ts';

/** Columns by document, and the list of new ones. The snapshot has those of all periods under these names. */
export const SUMMARY_COLUMNS = [
  'best-rank',
  'worst-rank',
  'avg-rank',
  'total-periods',
  'first-period',
  'newcomer',
] as const;
export type SummaryColumn = (typeof SUMMARY_COLUMNS)[number];
export type SummaryBuffers = Readonly<Record<SummaryColumn, SharedArrayBuffer>>;

export interface WindowSource {
  /** The rank columns of its periods, oldest first, by slot. */
  readonly ranks: readonly SparseColumn[];
  readonly slotDocuments: Uint32Array;
  /** Documents below this number have a rank in the window. */
  readonly visibleCount: number;
  /** Documents below this number are ranked in its newest period. */
  readonly newestCount: number;
}

/** So much at a time: the sums stay in the processor's cache, and a computation that is given up ends soon. */
const BLOCK_PAGES = 8;
const BLOCK_SLOTS = BLOCK_PAGES * PAGE_SLOTS;

export function summarize(
  { ranks, slotDocuments, visibleCount, newestCount }: WindowSource,
  throwIfCancelled: () => void = () => {},
): SummaryBuffers {
  const best = new Uint32Array(new SharedArrayBuffer(visibleCount * 4));
  const worst = new Uint32Array(new SharedArrayBuffer(visibleCount * 4));
  const average = new Uint32Array(new SharedArrayBuffer(visibleCount * 4));
  const totals = new Uint16Array(new SharedArrayBuffer(visibleCount * 2));
  const firsts = new Uint16Array(new SharedArrayBuffer(visibleCount * 2));
  const block = newBlock();
  for (let first = 0; first < slotDocuments.length; first += BLOCK_SLOTS) {
    throwIfCancelled();
    block.counts.fill(0);
    for (const [period, column] of ranks.entries()) addRanks(block, { ranks: column, period }, first);
    const last = Math.min(first + BLOCK_SLOTS, slotDocuments.length);
    for (let slot = first, i = 0; slot < last; slot += 1, i += 1) {
      const count = block.counts[i] ?? 0;
      if (count === 0) continue;
      const document = slotDocuments[slot] ?? 0;
      best[document] = block.best[i] ?? 0;
      worst[document] = block.worst[i] ?? 0;
      average[document] = averageRankHundredths({ rankSum: block.sums[i] ?? 0, periodCount: count });
      totals[document] = count;
      firsts[document] = block.firsts[i] ?? 0;
    }
  }
  return {
    'best-rank': best.buffer,
    'worst-rank': worst.buffer,
    'avg-rank': average.buffer,
    'total-periods': totals.buffer,
    'first-period': firsts.buffer,
    newcomer: listNewcomers(totals, newestCount),
  };
}

interface Block {
  readonly best: Uint32Array;
  readonly worst: Uint32Array;
  readonly sums: Float64Array;
  readonly firsts: Uint16Array;
  /** The others count only where this is not 0. */
  readonly counts: Uint16Array;
}

function newBlock(): Block {
  return {
    best: new Uint32Array(BLOCK_SLOTS),
    worst: new Uint32Array(BLOCK_SLOTS),
    sums: new Float64Array(BLOCK_SLOTS),
    firsts: new Uint16Array(BLOCK_SLOTS),
    counts: new Uint16Array(BLOCK_SLOTS),
  };
}

/** Takes in the ranks of one period; older ones come first. */
function addRanks(
  { best, worst, sums, firsts, counts }: Block,
  { ranks, period }: { readonly ranks: SparseColumn; readonly period: number },
  firstSlot: number,
): void {
  const add = (slot: number, rank: number): void => {
    const i = slot - firstSlot;
    const count = counts[i] ?? 0;
    counts[i] = count + 1;
    sums[i] = count === 0 ? rank : (sums[i] ?? 0) + rank;
    if (count === 0) firsts[i] = period;
    if (count === 0 || rank < (best[i] ?? 0)) best[i] = rank;
    if (count === 0 || rank > (worst[i] ?? 0)) worst[i] = rank;
  };
  walkValues(ranks, add, { first: firstSlot / PAGE_SLOTS, count: BLOCK_PAGES });
}

/** Documents of the newest period have a rank in it; when they have one in all, they are new. */
export function listNewcomers(totals: Uint16Array, newestCount: number): SharedArrayBuffer {
  const newcomers = new Uint32Array(newestCount);
  let count = 0;
  for (let document = 0; document < newestCount; document += 1) {
    newcomers[count] = document;
    count += totals[document] === 1 ? 1 : 0;
  }
  const list = new Uint32Array(new SharedArrayBuffer(count * 4));
  list.set(newcomers.subarray(0, count));
  return list.buffer;
}
