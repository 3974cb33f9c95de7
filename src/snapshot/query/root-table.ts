// Counts roots in bounded memory: an open-addressing hash table over pairs of words. When it is full and may not grow, it gives up half of its
// roots, told by one more of the first bits of their hash. Those are counted in another pass over the same terms.
import { NONE_32 } from '../format/format.ts';

/** What is known of a root, one number each. */
export const ROOT_WIDTH = 6;
export const ROOT_FIRST = 0;
/** NONE_32 for a single word. */
export const ROOT_SECOND = 1;
export const ROOT_TERMS = 2;
export const ROOT_BEST_RANK = 3;
export const ROOT_RISING = 4;
export const ROOT_FALLING = 5;

/** A cell also has the term that came last; it is empty while it has no terms. Eight numbers are half a line of the cache. */
const CELL_LAST_TERM = 6;
const CELL_WIDTH = 8;
const CELL_SHIFT = 3;

const FIRST_CELLS = 2 ** 12;
/** 64 MB, and as much again while the table is rebuilt. */
const MAX_CELLS = 2 ** 21;
const MAX_FILL = 0.6;

/** The roots whose hash, under the mask, is the prefix. The mask has the first bits, as many as it took. */
export interface HashRange {
  readonly mask: number;
  readonly prefix: number;
}

export const ALL_HASHES: HashRange = { mask: 0, prefix: 0 };

/** A term as its roots count it. */
export interface CountedTerm {
  /** Another one for each term. */
  readonly document: number;
  readonly bestRank: number;
  /** 0 or 1. */
  readonly rising: number;
  readonly falling: number;
}

export class RootTable {
  readonly #maxCells: number;
  readonly #left: HashRange[] = [];
  #range: HashRange;
  #cells = new Uint32Array(FIRST_CELLS * CELL_WIDTH);
  #count = 0;

  constructor(range: HashRange, maxCells = MAX_CELLS) {
    this.#range = range;
    this.#maxCells = maxCells;
  }

  get count(): number {
    return this.#count;
  }

  /** What was given up. */
  get left(): readonly HashRange[] {
    return this.#left;
  }

  add(first: number, second: number, { document, bestRank, rising, falling }: CountedTerm): void {
    const hash = hashPair(first, second);
    if ((hash & this.#range.mask) !== this.#range.prefix) return;
    const cells = this.#cells;
    const at = findCell(cells, { hash, first, second });
    const terms = cells[at + ROOT_TERMS] ?? 0;
    // A root that the term has twice.
    if (terms > 0 && cells[at + CELL_LAST_TERM] === document) return;
    cells[at + ROOT_FIRST] = first;
    cells[at + ROOT_SECOND] = second;
    cells[at + ROOT_TERMS] = terms + 1;
    if (terms === 0 || bestRank < (cells[at + ROOT_BEST_RANK] ?? 0)) cells[at + ROOT_BEST_RANK] = bestRank;
    cells[at + ROOT_RISING] = (cells[at + ROOT_RISING] ?? 0) + rising;
    cells[at + ROOT_FALLING] = (cells[at + ROOT_FALLING] ?? 0) + falling;
    cells[at + CELL_LAST_TERM] = document;
    if (terms > 0) return;
    this.#count += 1;
    while (this.#count > MAX_FILL * (this.#cells.length >>> CELL_SHIFT)) this.#makeRoom();
  }

  /** Appends every root to those that are there; returns how many there are then. */
  copyTo(roots: Uint32Array, count: number): number {
    let end = count;
    for (let at = 0; at < this.#cells.length; at += CELL_WIDTH) {
      if (this.#cells[at + ROOT_TERMS] === 0) continue;
      roots.set(this.#cells.subarray(at, at + ROOT_WIDTH), end * ROOT_WIDTH);
      end += 1;
    }
    return end;
  }

  #makeRoom(): void {
    const cellCount = this.#cells.length >>> CELL_SHIFT;
    const canGrow = cellCount < this.#maxCells;
    if (!canGrow) {
      const { mask, prefix } = this.#range;
      const narrower = (mask >> 1) | (1 << 31);
      this.#left.push({ mask: narrower, prefix: prefix | (narrower ^ mask) });
      this.#range = { mask: narrower, prefix };
    }
    const older = this.#cells;
    const cells = new Uint32Array((canGrow ? 2 * cellCount : cellCount) * CELL_WIDTH);
    this.#count = 0;
    for (let from = 0; from < older.length; from += CELL_WIDTH) {
      if (older[from + ROOT_TERMS] === 0) continue;
      const [first, second] = [older[from + ROOT_FIRST] ?? 0, older[from + ROOT_SECOND] ?? 0];
      const hash = hashPair(first, second);
      if ((hash & this.#range.mask) !== this.#range.prefix) continue;
      const to = findCell(cells, { hash, first, second });
      for (let i = 0; i < CELL_WIDTH; i += 1) cells[to + i] = older[from + i] ?? 0;
      this.#count += 1;
    }
    this.#cells = cells;
  }
}

/** Where the root stands, or may stand. */
function findCell(
  cells: Uint32Array,
  { hash, first, second }: { readonly hash: number; readonly first: number; readonly second: number },
): number {
  const last = cells.length - 1;
  for (let at = (hash << CELL_SHIFT) & last; ; at = (at + CELL_WIDTH) & last) {
    if (cells[at + ROOT_TERMS] === 0) return at;
    if (cells[at + ROOT_FIRST] === first && cells[at + ROOT_SECOND] === second) return at;
  }
}

/** Both words in all bits (the finalizer of MurmurHash3). */
function hashPair(first: number, second: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second ^ NONE_32, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
