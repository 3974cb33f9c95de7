// The summaries of the documents that a build puts in: best, worst and average rank, in how many periods and since which one. Their ranks
// are looked up in each period, page by page: where many slots of a page are asked for, all of its ranks are unpacked.
import { averageRankHundredths } from '../../domain/ranking.ts';
import { gatherValues, hasValues, PAGE_SLOTS, readPage, type SparseColumn } from '../format/sparse-column.ts';
import { sortPairs } from './key-order.ts';

/** From so many slots on unpacking a page takes less time than looking them up. */
const DENSE_SLOTS = PAGE_SLOTS / 8;

/** Of the terms in these slots, each of which has a rank, in their order. Periods are those of `ranks`, oldest first. */
export function summarizeSlots(ranks: readonly SparseColumn[], slots: Uint32Array) {
  const best = new Uint32Array(slots.length);
  const worst = new Uint32Array(slots.length);
  const average = new Uint32Array(slots.length);
  const totals = new Uint16Array(slots.length);
  const firsts = new Uint16Array(slots.length);
  const block = newBlock();
  const sorted = sortPairs({ numbers: Uint32Array.from(slots.keys()), keys: slots });
  for (let first = 0, end = 0; first < slots.length; first = end) {
    const page = pageOf(sorted.keys[first] ?? 0);
    while (end < slots.length && pageOf(sorted.keys[end] ?? 0) === page) end += 1;
    const ordered = sorted.keys.subarray(first, end);
    summarizePage(block, { ranks, slots: ordered, page });
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

function pageOf(slot: number): number {
  return Math.floor(slot / PAGE_SLOTS);
}

type Block = ReturnType<typeof newBlock>;

function newBlock() {
  return {
    best: new Uint32Array(PAGE_SLOTS),
    worst: new Uint32Array(PAGE_SLOTS),
    sums: new Float64Array(PAGE_SLOTS),
    counts: new Uint16Array(PAGE_SLOTS),
    firsts: new Uint16Array(PAGE_SLOTS),
    values: new Uint32Array(PAGE_SLOTS),
    room: new Uint32Array(PAGE_SLOTS),
  };
}

function summarizePage(
  block: Block,
  {
    ranks,
    slots,
    page,
  }: { readonly ranks: readonly SparseColumn[]; readonly slots: Uint32Array; readonly page: number },
): void {
  block.best.fill(0xffffffff);
  block.worst.fill(0);
  block.sums.fill(0);
  block.counts.fill(0);
  for (const [period, column] of ranks.entries()) {
    if (findRanks(block, { column, slots, page })) addRanks(block, { period, count: slots.length });
  }
}

/** Of the slots in the period; false when there are none in the whole page. */
function findRanks(
  { values, room }: Block,
  { column, slots, page }: { readonly column: SparseColumn; readonly slots: Uint32Array; readonly page: number },
): boolean {
  if (slots.length < DENSE_SLOTS) {
    values.set(slots);
    gatherValues(column, { values, count: slots.length, width: 1, from: 0, to: 0 });
    return true;
  }
  if (!hasValues(column, page)) return false;
  readPage(column, page, room);
  for (let i = 0; i < slots.length; i += 1) values[i] = room[(slots[i] ?? 0) & (PAGE_SLOTS - 1)] ?? 0;
  return true;
}

function addRanks(
  { best, worst, sums, counts, firsts, values }: Block,
  { period, count: slotCount }: { readonly period: number; readonly count: number },
): void {
  for (let i = 0; i < slotCount; i += 1) {
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
