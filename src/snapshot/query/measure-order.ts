// Orders by a number of the insights. Keys have 32 bits, and all but the deepest falls in percent fit: those are numbered by their
// place among themselves.
import type { OrderDirection } from '../../domain/search-query.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { takeRoom } from './arena.ts';
import type { BlockBounds, LowestKeys } from './block-bounds.ts';
import type { DocumentList } from './document-list.ts';
import { boundsOf, directedKey, type KeyOrder, NULL_KEY } from './key-order.ts';
import { LruCache } from './lru-cache.ts';
import type { Measure, MeasureName } from './measure.ts';

/** Values below it are deep: falls of more than 21 million percent, from one of the first 200 ranks. */
const DEEPEST = -(2 ** 31);
/** Room for the places of deep ones: more than there are documents. */
const FIRST_KEY = 2 ** 30;
/** Documents whose keys are computed together. */
const CHUNK = 4096;
/** Bounds that were asked for last, by view, measure and direction. */
const MAX_BOUNDS = 4;

type KnownBounds = Readonly<Record<OrderDirection, LruCache<object, BlockBounds>>>;
const knownBounds = new WeakMap<SnapshotView, Map<MeasureName, KnownBounds>>();

export function measureOrder(
  view: SnapshotView,
  options: { readonly name: MeasureName; readonly measure: Measure | undefined; readonly direction: OrderDirection },
): KeyOrder {
  const { name, measure, direction } = options;
  if (!measure) return { keysOf: ({ documents }) => takeKeys(documents.length).fill(NULL_KEY), ties: 'rank' };
  const coarseKeysOf = (documents: DocumentList): Uint32Array =>
    keysOf(measure.valuesOf(documents), direction, () => 0);
  const exactKeysOf = (documents: DocumentList): Uint32Array => {
    const values = measure.valuesOf(documents);
    return keysOf(values, direction, placeDeep(values));
  };
  const addKeys = (lowest: LowestKeys): void => addAll(lowest, { keysOf: coarseKeysOf, end: measure.end });
  const bounds = (): BlockBounds =>
    boundsOf(measure.source, {
      known: knownBoundsOf(view, name)[direction],
      documentCount: view.documentCount,
      addKeys,
    });
  return {
    keysOf: ({ documents }) => exactKeysOf(documents),
    ties: 'rank',
    bounded: () => ({ keysOf: coarseKeysOf, bounds: bounds() }),
  };
}

function keysOf(values: Float64Array, direction: OrderDirection, deepKeyOf: (value: number) => number): Uint32Array {
  const keys = takeKeys(values.length);
  for (let i = 0; i < keys.length; i += 1) {
    const value = values[i] ?? Number.NaN;
    if (value >= DEEPEST) keys[i] = directedKey(value - DEEPEST + FIRST_KEY, direction);
    else keys[i] = Number.isNaN(value) ? NULL_KEY : directedKey(deepKeyOf(value), direction);
  }
  return keys;
}

/** Equal values share a place. */
function placeDeep(values: Float64Array): (value: number) => number {
  const deep = new Set<number>();
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? Number.NaN;
    if (value < DEEPEST) deep.add(value);
  }
  const places = new Map([...deep].sort((a, b) => a - b).map((value, place) => [value, place]));
  return (value) => places.get(value) ?? 0;
}

function addAll(
  lowest: LowestKeys,
  { keysOf, end }: { readonly keysOf: (documents: DocumentList) => Uint32Array; readonly end: number },
): void {
  const documents = new Uint32Array(CHUNK);
  for (let first = 0; first < end; first += CHUNK) {
    const count = Math.min(CHUNK, end - first);
    for (let i = 0; i < count; i += 1) documents[i] = first + i;
    const keys = keysOf(documents.subarray(0, count));
    for (let i = 0; i < count; i += 1) lowest.add(first + i, keys[i] ?? 0);
  }
}

function knownBoundsOf(view: SnapshotView, name: MeasureName): KnownBounds {
  const ofView = knownBounds.get(view) ?? new Map<MeasureName, KnownBounds>();
  knownBounds.set(view, ofView);
  const known = ofView.get(name) ?? { asc: new LruCache(MAX_BOUNDS), desc: new LruCache(MAX_BOUNDS) };
  ofView.set(name, known);
  return known;
}

function takeKeys(count: number): Uint32Array {
  return takeRoom('orderKeys', count).subarray(0, count);
}
