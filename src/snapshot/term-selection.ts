// Selecting one page of a long list in the order of its terms without sorting it: the list is counted by the first byte, only
// the buckets that the page touches are kept, and those are counted by the next byte, until few enough are left to sort.
// Long shared beginnings cost one more pass per byte over what shares them, never a sort of all.
import { compareTexts, type TextColumn, textEnd, textStart } from './text-column.ts';

const SORTED_BELOW = 256;
/** One for each byte, and in front of them one for terms that have ended. */
const BUCKETS = 257;

interface Slice {
  readonly from: number;
  readonly to: number;
}

/** The slots at places `from` to `to` of the ascending order. The slots must be of different terms. */
export function selectByTerm(terms: TextColumn, slots: Uint32Array, slice: Slice): readonly number[] {
  const to = Math.min(slice.to, slots.length);
  return slice.from < to ? selectAt(terms, { slots, depth: 0, slice: { from: slice.from, to } }) : [];
}

function selectAt(
  terms: TextColumn,
  { slots, depth, slice }: { readonly slots: Uint32Array; readonly depth: number; readonly slice: Slice },
): readonly number[] {
  if (slots.length <= SORTED_BELOW) {
    return Array.from(slots)
      .sort((a, b) => compareTexts(terms, [a, b]))
      .slice(slice.from, slice.to);
  }
  const ends = new Uint32Array(BUCKETS);
  for (let i = 0; i < slots.length; i += 1) {
    const bucket = bucketOf(terms, { slot: slots[i] ?? 0, depth });
    ends[bucket] = (ends[bucket] ?? 0) + 1;
  }
  for (let bucket = 1; bucket < BUCKETS; bucket += 1) ends[bucket] = (ends[bucket] ?? 0) + (ends[bucket - 1] ?? 0);
  const first = ends.findIndex((end) => end > slice.from);
  const last = ends.findIndex((end) => end >= slice.to);
  const startOf = (bucket: number): number => (bucket === 0 ? 0 : (ends[bucket - 1] ?? 0));
  const base = startOf(first);
  // All share this byte, so there is nothing to leave out.
  if ((ends[first] ?? 0) - base === slots.length) return selectAt(terms, { slots, depth: depth + 1, slice });
  const kept = new Uint32Array((ends[last] ?? 0) - base);
  const nextPlaces = Uint32Array.from(ends, (_, bucket) => Math.max(0, startOf(bucket) - base));
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] ?? 0;
    const bucket = bucketOf(terms, { slot, depth });
    if (bucket < first || bucket > last) continue;
    const place = nextPlaces[bucket] ?? 0;
    kept[place] = slot;
    nextPlaces[bucket] = place + 1;
  }
  const selected: number[] = [];
  for (let bucket = first; bucket <= last; bucket += 1) {
    const [start, end] = [startOf(bucket), ends[bucket] ?? 0];
    if (start === end) continue;
    const part = { from: Math.max(0, slice.from - start), to: Math.min(end, slice.to) - start };
    const inside = kept.subarray(start - base, end - base);
    for (const slot of selectAt(terms, { slots: inside, depth: depth + 1, slice: part })) selected.push(slot);
  }
  return selected;
}

function bucketOf(terms: TextColumn, { slot, depth }: { readonly slot: number; readonly depth: number }): number {
  const at = textStart(terms, slot) + depth;
  return at < textEnd(terms, slot) ? 1 + (terms.bytes[at] ?? 0) : 0;
}
