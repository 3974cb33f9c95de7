// One page of a trend list in one pass over its candidates, wherever the page lies. The keys of a sample tell between which two
// it is; the pass counts all that is listed and keeps only what lies between them. Should the guess be wrong, a second pass
// keeps everything.

import type { Slice } from '../../domain/page.ts';
import { takeRoom } from '../query/arena.ts';
import type { DocumentList } from '../query/document-list.ts';
import { guessBounds, type KeyBounds, type SelectionOrder, selectPositions } from '../query/selection.ts';
import { type Candidates, CHUNK, readChunk, type TrendOptions } from './trend-candidates.ts';

/** Keys of a list are whole numbers below this, ascending in the wanted order. */
const KEYS_END = 2 ** 30;

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
const ALL: KeyBounds = { low: 0, high: KEYS_END };

export function selectTrend(
  candidates: Candidates,
  { gatherKeys, tiesOf, slice }: TrendSelection,
  options: TrendOptions,
): TrendDocuments {
  const guess = guessPage(candidates, { gatherKeys, slice });
  let found = gatherAll(candidates, { gatherKeys, bounds: guess }, options);
  const totalCount = found.listed;
  const [from, to] = [slice.offset, Math.min(slice.offset + slice.limit, totalCount)];
  if (from >= to) return { totalCount, documents: [] };
  if (from < found.below || to > found.below + found.near) {
    found = gatherAll(candidates, { gatherKeys, bounds: ALL }, options);
  }
  const keys = found.keys.subarray(0, found.near);
  const nearSlice = { from: from - found.below, to: to - found.below };
  const ties = tiesOf?.(found.documents);
  const positions = selectPositions({ keys, ties }, nearSlice, options.throwIfCancelled);
  return { totalCount, documents: positions.map((position) => found.documents[position] ?? 0) };
}

/** In a short list a guess costs more than it saves. */
function guessPage(
  { documents, from, to }: Candidates,
  { gatherKeys, slice: { offset, limit } }: { readonly gatherKeys: GatherKeys; readonly slice: Slice },
): KeyBounds {
  const count = to - from;
  if (count < SAMPLED_FROM) return ALL;
  const size = Math.max(MIN_SAMPLE, Math.floor(count / CANDIDATES_PER_SAMPLED));
  const sampled = new Uint32Array(Math.min(MAX_SAMPLE, size));
  for (let i = 0; i < sampled.length; i += 1) {
    const at = from + Math.floor((i * count) / sampled.length);
    sampled[i] = documents ? (documents[at] ?? 0) : at;
  }
  // What is not listed is behind all that is.
  const keys = new Uint32Array(sampled.length).fill(KEYS_END);
  gatherKeys(sampled, ALL, { documents: sampled, keys, near: 0, below: 0, listed: 0 });
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
