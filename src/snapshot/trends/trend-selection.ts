// One page of a trend list in one pass over its candidates, wherever the page lies. The keys of a sample tell between which two
// it is; the pass counts all that is listed and keeps only what lies between them. Should the guess be wrong, a second pass
// keeps everything.

import type { Slice } from '../../domain/page.ts';
import { takeRoom } from '../query/arena.ts';
import type { DocumentList } from '../query/document-list.ts';
import { guessBounds, type KeyBounds, type SelectionOrder, selectPositions } from '../query/selection.ts';
import { type Candidates, CHUNK, readChunk, type TrendOptions } from './trend-candidates.ts';

/** Keys of a list are whole numbers below this, ascending in the wanted order. */
export const KEYS_END = 2 ** 30;

/** Takes in documents, which are ascending and follow those before. */
export type GatherKeys = (documents: DocumentList, bounds: KeyBounds, gathered: Gathered) => void;

export interface Gathered {
  /** Those with keys within the bounds; as many as `near` says. */
  readonly documents: Uint32Array;
  readonly keys: Uint32Array;
  near: number;
  /** How many keys are below the bounds. */
  below: number;
  /** How many documents are on the list at all. */
  listed: number;
}

/** What decides among equal keys, by position in a list of documents. */
export type TiesOf = (documents: DocumentList) => SelectionOrder['ties'];

interface TrendSelection {
  readonly gatherKeys: GatherKeys;
  readonly slice: Slice;
}

/** A pass over all candidates, which may have to be made again. What it gathers is valid until then. */
interface TrendPass {
  /** Between which keys the slice probably is. */
  readonly guess: KeyBounds;
  readonly gather: (bounds: KeyBounds) => Gathered;
  /** Undefined where documents stand in the order in which ties break. */
  readonly tiesOf?: TiesOf | undefined;
  readonly slice: Slice;
}

export interface TrendDocuments {
  readonly totalCount: number;
  /** Those of the slice, in order. */
  readonly documents: readonly number[];
}

const CANDIDATES_PER_SAMPLED = 128;
const MIN_SAMPLE = 256;
const MAX_SAMPLE = 4096;
const SAMPLED_FROM = 2048;
export const ALL_KEYS: KeyBounds = { low: 0, high: KEYS_END };

export function selectTrend(
  candidates: Candidates,
  { gatherKeys, slice }: TrendSelection,
  options: TrendOptions,
): TrendDocuments {
  const gather = (bounds: KeyBounds) => gatherAll(candidates, { gatherKeys, bounds }, options);
  return selectGathered({ guess: guessPage(candidates, { gatherKeys, slice }), gather, slice }, options);
}

export function selectGathered(
  { guess, gather, tiesOf, slice }: TrendPass,
  { throwIfCancelled }: TrendOptions,
): TrendDocuments {
  let found = gather(guess);
  const totalCount = found.listed;
  const [from, to] = [slice.offset, Math.min(slice.offset + slice.limit, totalCount)];
  if (from >= to) return { totalCount, documents: [] };
  if (from < found.below || to > found.below + found.near) found = gather(ALL_KEYS);
  const keys = found.keys.subarray(0, found.near);
  const nearSlice = { from: from - found.below, to: to - found.below };
  const ties = tiesOf?.(found.documents);
  const positions = selectPositions({ keys, ties }, nearSlice, throwIfCancelled);
  return { totalCount, documents: positions.map((position) => found.documents[position] ?? 0) };
}

function guessPage(
  { documents, from, to }: Candidates,
  { gatherKeys, slice }: { readonly gatherKeys: GatherKeys; readonly slice: Slice },
): KeyBounds {
  const count = to - from;
  const sampled = new Uint32Array(sampleSize(count));
  if (sampled.length === 0) return ALL_KEYS;
  for (let i = 0; i < sampled.length; i += 1) {
    const at = from + Math.floor((i * count) / sampled.length);
    sampled[i] = documents ? (documents[at] ?? 0) : at;
  }
  // What is not listed is behind all that is.
  const keys = new Uint32Array(sampled.length).fill(KEYS_END);
  gatherKeys(sampled, ALL_KEYS, { documents: sampled, keys, near: 0, below: 0, listed: 0 });
  return guessBySample(keys, { slice, count });
}

/** How many of so many candidates tell where the page lies: 0 where they are so few that a guess costs more than it saves. */
export function sampleSize(count: number): number {
  if (count < SAMPLED_FROM) return 0;
  return Math.min(MAX_SAMPLE, Math.max(MIN_SAMPLE, Math.floor(count / CANDIDATES_PER_SAMPLED)));
}

/** From the keys of a sample, which are sorted here. */
export function guessBySample(
  keys: Uint32Array,
  { slice: { offset, limit }, count }: { readonly slice: Slice; readonly count: number },
): KeyBounds {
  return guessBounds(keys.sort(), { slice: { from: offset, to: offset + limit }, count, last: KEYS_END });
}

/** In memory that the next call uses again. */
function gatherAll(
  candidates: Candidates,
  { gatherKeys, bounds }: { readonly gatherKeys: GatherKeys; readonly bounds: KeyBounds },
  { throwIfCancelled }: TrendOptions,
): Gathered {
  const { from, to } = candidates;
  const gathered: Gathered = {
    documents: takeRoom('nearDocuments', to - from),
    keys: takeRoom('nearKeys', to - from),
    near: 0,
    below: 0,
    listed: 0,
  };
  for (let start = from; start < to; start += CHUNK) {
    throwIfCancelled();
    gatherKeys(readChunk(candidates, { start, end: Math.min(to, start + CHUNK) }), bounds, gathered);
  }
  return gathered;
}
