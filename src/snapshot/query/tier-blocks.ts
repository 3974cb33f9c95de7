// best_match has a handful of tiers, and within a tier the documents' own order counts: newer period, then rank, then term.
// So a page of it needs no keys and no sort: the places before it are counted off, tier by tier. The counting is done once per
// block of documents, without a branch that could be mispredicted, and as far as is asked for.
import { MATCH_TIERS } from '../../domain/ranking.ts';
import type { OrderDirection } from '../../domain/search-query.ts';
import { takeList } from './arena.ts';
import type { DocumentList } from './document-list.ts';
import type { Slice } from './selection.ts';

/** In a table of tiers: this mark does not tell. */
export const UNKNOWN_TIER = 5;

/** Documents, and what tells the tier of each: a table of the marks beside them. */
export interface TieredDocuments {
  readonly documents: DocumentList;
  readonly marks: Uint16Array;
  readonly tierByMark: Uint8Array;
  /** Where the marks do not tell. */
  readonly findTier?: (document: number) => number;
  /** Finds the marks from one position to another, where they are not there yet. */
  readonly fill?: (from: number, to: number) => void;
}

/** Of marks that are the tiers themselves. */
export const TIER_BY_TIER = Uint8Array.from({ length: Math.max(...Object.values(MATCH_TIERS)) + 1 }, (_, tier) => tier);

const ASCENDING = Object.values(MATCH_TIERS).sort((a, b) => a - b);
const DESCENDING = ASCENDING.toReversed();

/** The counts of a block are side by side in one number, one of so many bits for each tier. */
const COUNT_BITS = 5;
const BLOCK = 2 ** COUNT_BITS - 1;
const FIRST_COUNT = BLOCK;

export class TierBlocks {
  readonly #list: TieredDocuments;
  readonly #counts: Uint32Array;
  readonly #totals = new Map<number, number>(ASCENDING.map((tier) => [tier, 0]));
  #blockCount = 0;

  constructor(list: TieredDocuments) {
    this.#list = list;
    this.#counts = takeList(Math.ceil(list.documents.length / BLOCK));
  }

  /** How many documents were looked at. */
  get length(): number {
    return Math.min(this.#blockCount * BLOCK, this.#list.documents.length);
  }

  countOf(tier: number): number {
    return this.#totals.get(tier) ?? 0;
  }

  /** Looks at the first documents, so many or a few more. */
  lookAt(length: number): this {
    const { documents, fill } = this.#list;
    const totals = new Float64Array(ASCENDING.length);
    const end = Math.min(Math.ceil(length / BLOCK), this.#counts.length);
    fill?.(this.length, Math.min(end * BLOCK, documents.length));
    for (let block = this.#blockCount; block < end; block += 1) {
      const counts = this.#countBlock(block * BLOCK, Math.min((block + 1) * BLOCK, documents.length));
      this.#counts[block] = counts;
      for (let tier = 0; tier < totals.length; tier += 1) totals[tier] = (totals[tier] ?? 0) + countIn(counts, tier);
    }
    for (const tier of ASCENDING) this.#totals.set(tier, this.countOf(tier) + (totals[tier] ?? 0));
    this.#blockCount = Math.max(this.#blockCount, end);
    return this;
  }

  lookAtAll(): this {
    return this.lookAt(this.#list.documents.length);
  }

  /** Those of a tier, from one place among them to another. */
  select(tier: number, { from, to }: Slice): readonly number[] {
    const { documents } = this.#list;
    const selected: number[] = [];
    let place = 0;
    for (let block = 0; block < this.#blockCount && place < to; block += 1) {
      const before = place;
      place += countIn(this.#counts[block] ?? 0, tier);
      if (place <= from || place === before) continue;
      const end = Math.min((block + 1) * BLOCK, documents.length);
      for (let i = block * BLOCK, at = before; i < end && at < to; i += 1) {
        if (this.#tierAt(i) !== tier) continue;
        if (at >= from) selected.push(documents[i] ?? 0);
        at += 1;
      }
    }
    return selected;
  }

  #countBlock(start: number, end: number): number {
    const { marks, tierByMark } = this.#list;
    let counts = 0;
    for (let i = start; i < end; i += 1) counts += 1 << ((tierByMark[marks[i] ?? 0] ?? 0) * COUNT_BITS);
    if (countIn(counts, UNKNOWN_TIER) === 0) return counts;
    counts = 0;
    for (let i = start; i < end; i += 1) counts += 1 << (this.#tierAt(i) * COUNT_BITS);
    return counts;
  }

  #tierAt(i: number): number {
    const { documents, marks, tierByMark, findTier } = this.#list;
    const tier = tierByMark[marks[i] ?? 0] ?? 0;
    return tier === UNKNOWN_TIER ? (findTier?.(documents[i] ?? 0) ?? 0) : tier;
  }
}

function countIn(counts: number, tier: number): number {
  return (counts >>> (tier * COUNT_BITS)) & FIRST_COUNT;
}

/** The documents at the places of a slice, the highest tier first unless ascending; in a tier those of the first blocks come first. */
export function selectTiers(
  groups: readonly TierBlocks[],
  { from, to, direction }: Slice & { readonly direction: OrderDirection },
): readonly number[] {
  const selected: number[] = [];
  let place = 0;
  for (const tier of direction === 'asc' ? ASCENDING : DESCENDING) {
    for (const blocks of groups) {
      if (place >= to) return selected;
      const end = place + blocks.countOf(tier);
      if (end > from) selected.push(...blocks.select(tier, { from: from - place, to: to - place }));
      place = end;
    }
  }
  return selected;
}
