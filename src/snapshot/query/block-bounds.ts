// Leaves out documents that cannot be on the page, without looking at their keys. Documents are taken in blocks of
// neighbours, and of every block the lowest key is known; a block whose lowest key is behind a whole page of better ones is passed
// over. A long list is then read from front to back, and of the key column only the few blocks that matter.
import type { DocumentList } from './document-list.ts';
import { LAST_KEY } from './selection.ts';

const BLOCK_SHIFT = 6;
/** A page this much shorter than the list leaves most blocks out. */
const MIN_LIST_PER_PLACE = 64;
const MIN_ROOM = 1024;
/** Documents of blocks that matter, of which the keys are fetched together. */
const FETCHED_TOGETHER = 1024;
/** The first guess of where the page ends should keep so many times the page. */
const GUESSED_PAGES = 3;

/** What is known of the keys of all documents, by block of neighbours. */
export interface BlockBounds {
  readonly documentCount: number;
  /** By block. */
  readonly lowest: Uint32Array;
  /** The same keys, ascending. */
  readonly sorted: Uint32Array;
}

export interface BoundedKeys {
  /** By position; valid until the next call. */
  readonly keysOf: (documents: DocumentList) => Uint32Array;
  readonly bounds: BlockBounds;
}

/** The lowest key of each block, from the keys of all documents in any order. */
export class LowestKeys {
  readonly #documentCount: number;
  readonly #lowest: Uint32Array;

  constructor(documentCount: number) {
    this.#documentCount = documentCount;
    this.#lowest = new Uint32Array((documentCount >>> BLOCK_SHIFT) + 1).fill(LAST_KEY);
  }

  add(document: number, key: number): void {
    const block = document >>> BLOCK_SHIFT;
    if (key < (this.#lowest[block] ?? 0)) this.#lowest[block] = key;
  }

  bounds(): BlockBounds {
    return { documentCount: this.#documentCount, lowest: this.#lowest, sorted: this.#lowest.slice().sort() };
  }
}

/** Some of the documents, ascending, among them all that stand at the first `places` places of the order by key, ties included. */
export function keepPromising(
  documents: DocumentList,
  { places, keys }: { readonly places: number; readonly keys: BoundedKeys },
): DocumentList {
  if (documents.length < places * MIN_LIST_PER_PLACE) return documents;
  const guess = guessLimit(keys.bounds, { places, listLength: documents.length });
  const kept = keepBelow(documents, { places, keys, firstLimit: guess });
  if (kept && kept.length < places) return keepBelow(documents, { places, keys, firstLimit: LAST_KEY }) ?? documents;
  return kept ?? documents;
}

/** Were the list any sample of the documents, a few pages of it would have keys up to this one. */
function guessLimit(
  { documentCount, sorted }: BlockBounds,
  { places, listLength }: { readonly places: number; readonly listLength: number },
): number {
  // Few blocks hold two of the very best, so that counting blocks is as good as counting documents.
  return sorted[Math.ceil((GUESSED_PAGES * places * documentCount) / listLength)] ?? LAST_KEY;
}

/** All with a key up to the limit, or up to that of the last place once more than enough were found. Undefined when too many are equal. */
function keepBelow(
  documents: DocumentList,
  {
    places,
    keys: {
      keysOf,
      bounds: { lowest },
    },
    firstLimit,
  }: { readonly places: number; readonly keys: BoundedKeys; readonly firstLimit: number },
): DocumentList | undefined {
  const kept = new KeptDocuments(places, firstLimit);
  const near = new Uint32Array(FETCHED_TOGETHER);
  for (let i = 0; i < documents.length; ) {
    let nearCount = 0;
    const { limit } = kept;
    for (; i < documents.length && nearCount < FETCHED_TOGETHER; i += 1) {
      const document = documents[i] ?? 0;
      near[nearCount] = document;
      nearCount += Number((lowest[document >>> BLOCK_SHIFT] ?? 0) <= limit);
    }
    const fetched = near.subarray(0, nearCount);
    if (!kept.add(fetched, keysOf(fetched))) return undefined;
  }
  return kept.documents;
}

class KeptDocuments {
  readonly #places: number;
  readonly #kept: Uint32Array;
  readonly #keys: Uint32Array;
  #count = 0;
  limit: number;

  constructor(places: number, limit: number) {
    const room = Math.max(MIN_ROOM, 4 * places);
    this.#places = places;
    this.#kept = new Uint32Array(room);
    this.#keys = new Uint32Array(room);
    this.limit = limit;
  }

  get documents(): DocumentList {
    return this.#kept.subarray(0, this.#count);
  }

  /** False when too many are equal: a page of equal keys is no bound. */
  add(documents: DocumentList, keys: Uint32Array): boolean {
    for (let i = 0; i < documents.length; i += 1) {
      const key = keys[i] ?? 0;
      if (key > this.limit) continue;
      if (this.#count === this.#keys.length) {
        this.limit = this.#keys.slice().sort()[this.#places - 1] ?? LAST_KEY;
        this.#count = compact({ kept: this.#kept, keys: this.#keys, limit: this.limit });
        if (this.#count > this.#keys.length / 2) return false;
        if (key > this.limit) continue;
      }
      this.#kept[this.#count] = documents[i] ?? 0;
      this.#keys[this.#count] = key;
      this.#count += 1;
    }
    return true;
  }
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
    count += Number(key <= limit);
  }
  return count;
}
