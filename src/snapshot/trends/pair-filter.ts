// What the filters of a list leave of the moves between two periods of which nothing is sorted. Words and categories are those of the documents
// that slots stand for.
import { isUnfiltered } from '../../domain/search-filter.ts';
import { NONE_32 } from '../format/format.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { PAGE_SLOTS } from '../format/sparse-column.ts';
import { keepMarkedCategories, markCategories } from '../query/category-filter.ts';
import { bitOf, clearBits, takeBits } from '../query/document-list.ts';
import type { KeepWanted, SlotBatch } from './slot-batch.ts';
import { type CandidatePlan, listMatching, type TrendOptions } from './trend-candidates.ts';

const positions = new Uint32Array(PAGE_SLOTS);
const owners = new Uint32Array(PAGE_SLOTS);

/** Selects by a filter that is valid until the selection ends; undefined where nothing is filtered. */
export function selectFiltered<T>(
  view: SnapshotView,
  plan: CandidatePlan,
  { select, options }: { readonly select: (keepWanted: KeepWanted | undefined) => T; readonly options: TrendOptions },
): T {
  const { queries, categories, minRank = 0, maxRank = NONE_32 } = plan.filters;
  if (isUnfiltered({ ...plan.filters })) return select(undefined);
  const matching = queries.length > 0 ? listMatching(view, { ...plan, excludeNulls: false }, options) : undefined;
  const marks = categories.length > 0 ? markCategories(view, categories) : undefined;
  const { bits } = takeBits(matching ?? new Uint32Array(0));
  try {
    return select((batch) => {
      const { firstSlot, step, numbers, latestRanks } = batch;
      let count = 0;
      for (let i = 0; i < batch.count; i += 1) {
        const rank = latestRanks[i] ?? 0;
        const document = view.slotDocuments[firstSlot + (numbers[i] ?? 0) * step] ?? 0;
        positions[count] = i;
        owners[count] = document;
        count += (matching ? bitOf(bits, document) : 1) & Number(rank >= minRank) & Number(rank <= maxRank);
      }
      keepPositions(batch, marks ? keepMarked(view, marks, count) : count);
    });
  } finally {
    if (matching) clearBits(bits, matching);
  }
}

function keepMarked(view: SnapshotView, marks: Uint8Array, count: number): number {
  const kept = { documents: positions, count: 0 };
  // Written over what has been looked at.
  keepMarkedCategories(kept, positions.subarray(0, count), { view, marks, owners });
  return kept.count;
}

function keepPositions(batch: SlotBatch, count: number): void {
  const { numbers, latestRanks } = batch;
  for (let i = 0; i < count; i += 1) {
    const position = positions[i] ?? 0;
    numbers[i] = numbers[position] ?? 0;
    latestRanks[i] = latestRanks[position] ?? 0;
  }
  batch.count = count;
}
