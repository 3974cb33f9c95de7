// Leaves out documents that cannot be on the page, without looking at their keys. Documents are taken in blocks of
// neighbours, and of every block the lowest key is known; a block whose lowest key is behind a whole page of better ones is passed
// over. A long list is then read from front to back, and of the key column only the few blocks that matter.
import type { DocumentList } from './document-list.ts';
import { LAST_KEY } from './selection.ts';

const BLOCK_SHIFT = 6;
/** A page this much shorter than the list leaves most blocks out. */
const MIN_LIST_PER_PLACE = 64;
const MIN_ROOM = 1024;

export interface BoundedKeys {
  readonly keyOf: (document: number) => number;
  /** By block. */
  readonly lowest: Uint32Array;
}

/** The lowest key of each block, from the keys of all documents in any order. */
export class LowestKeys {
  readonly lowest: Uint32Array;

  constructor(documentCount: number) {
    this.lowest = new Uint32Array((documentCount >>> BLOCK_SHIFT) + 1).fill(LAST_KEY);
  }

  add(document: number, key: number): void {
    const block = document >>> BLOCK_SHIFT;
    if (key < (this.lowest[block] ?? 0)) this.lowest[block] = key;
  }
}

/** Some of the documents, ascending, among them all that stand at the first `places` places of the order by key, ties included. */
export function keepPromising(
  documents: DocumentList,
  { places, keys: { keyOf, lowest } }: { readonly places: number; readonly keys: BoundedKeys },
): DocumentList {
  if (documents.length < places * MIN_LIST_PER_PLACE) return documents;
  const room = Math.max(MIN_ROOM, 4 * places);
  const kept = new Uint32Array(room);
  const keys = new Uint32Array(room);
  let count = 0;
  let limit = LAST_KEY;
  for (let i = 0; i < documents.length; ) {
    const block = (documents[i] ?? 0) >>> BLOCK_SHIFT;
    const isPassedOver = (lowest[block] ?? 0) > limit;
    for (; i < documents.length && (documents[i] ?? 0) >>> BLOCK_SHIFT === block; i += 1) {
      if (isPassedOver) continue;
      const document = documents[i] ?? 0;
      const key = keyOf(document);
      if (key > limit) continue;
      if (count === room) {
        limit = keys.slice().sort()[places - 1] ?? LAST_KEY;
        count = compact({ kept, keys, limit });
        // Many equal keys: a page of them is no bound.
        if (count > room / 2) return documents;
      }
      kept[count] = document;
      keys[count] = key;
      count += 1;
    }
  }
  return kept.subarray(0, count);
}

function compact({
  kept,
  keys,
  limit,
}: {
  readonly kept: Uint32Array;
  readonly keys: Uint32Array;
  readonly limit: number;
}): number {
  let count = 0;
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] ?? 0;
    kept[count] = kept[i] ?? 0;
    keys[count] = key;
    count += key <= limit ? 1 : 0;
  }
  return count;
}
