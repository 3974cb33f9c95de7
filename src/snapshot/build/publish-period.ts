// Putting a period's rows in front of the documents.
import { DOCUMENT_COLUMNS, type DocumentColumn, NONE_16, NONE_32 } from '../format/format.ts';
import { encodeSparse, openSparse } from '../format/sparse-column.ts';
import { type BuildState, type DocumentArrays, newColumn, newDocuments, type StatePeriod } from './build-state.ts';
import { countBelow, planChanges } from './document-changes.ts';
import { editArray } from './edited-column.ts';
import { extendNumbers, type GrowingNumbers, pushNumber, pushText } from './growing.ts';
import { sortByKey } from './key-order.ts';
import type { Segment } from './parquet-reader.ts';

const DOCUMENT_NAMES = Object.keys(DOCUMENT_COLUMNS) as readonly DocumentColumn[];
const PRODUCT_COLUMNS = ['product-1', 'product-2', 'product-3'] as const satisfies readonly DocumentColumn[];
/** The columns whose ids become slots of the snapshot. */
const SLOTTED_COLUMNS = [
  { kind: 'products', ids: 'productIds', columns: PRODUCT_COLUMNS },
  { kind: 'brands', ids: 'brandIds', columns: ['brand-1', 'brand-2', 'brand-3'] },
] as const;

/** The product of each place, and its shares. */
const SHARED_COLUMNS = [
  ['product-1', 'click-share-1', 'conversion-share-1'],
  ['product-2', 'click-share-2', 'conversion-share-2'],
  ['product-3', 'click-share-3', 'conversion-share-3'],
] as const;

/** Slots by dictionary id, so that an id is looked up in one step. */
export interface SlotMaps {
  readonly terms: SlotMap;
  readonly products: SlotMap;
  readonly brands: SlotMap;
}

export interface SlotMap {
  /** 1 + the slot, 0 where the id has none yet: memory that nothing was written to is never taken. */
  places: Uint32Array;
}

const MIN_MAP_ROOM = 1 << 20;

/** The slot of an id, -1 when it has none. */
export function findSlot({ places }: SlotMap, id: number): number {
  return (places[id] ?? 0) - 1;
}

export function openSlotMaps(state: BuildState): SlotMaps {
  return {
    terms: openSlotMap(state.slotTermIds),
    products: openSlotMap(state.productIds),
    brands: openSlotMap(state.brandIds),
  };
}

export function publishPeriod(
  state: BuildState,
  {
    key,
    segment,
    rows,
    maps,
  }: { readonly key: string; readonly segment: string; readonly rows: Segment; readonly maps: SlotMaps },
): void {
  const slots = slotsOf({ ids: rows.termIds, map: maps.terms, known: state.slotTermIds });
  const file = encodeRanks(state, { segment, rows, slots });
  const ranked = markSlots(slots, state.slotTermIds.count);
  const moved = planChanges({
    freshCount: rows.rowCount,
    slots: state.fresh['document-slot'].subarray(0, state.freshCount),
    renewed: ranked,
  });
  lowerCounts(state.periods.slice(state.savedPeriodCount), moved.removed);
  const published = newDocuments(rows.rowCount);
  fillNewDocuments({ state, documents: published, rows, slots, maps });
  const count = rows.rowCount + state.freshCount - moved.removed.length;
  for (const name of DOCUMENT_NAMES) {
    state.fresh[name] =
      state.freshCount === 0
        ? published[name]
        : editArray(state.fresh[name].subarray(0, state.freshCount), {
            edits: moved.edits,
            fresh: published[name],
            out: newColumn(DOCUMENT_COLUMNS[name], count),
          });
  }
  state.freshCount = count;
  state.renewed = unite(state.renewed, ranked);
  markProducts(state, rows.rowCount);
  state.periods.push({ key, segment, ranks: openSparse(file), file, saved: undefined, documentCount: rows.rowCount });
}

/** Documents of the periods are taken out: there are fewer of each, newest first. */
export function lowerCounts(periods: readonly StatePeriod[], removed: Uint32Array): void {
  let below = 0;
  let end = 0;
  for (const period of [...periods].reverse()) {
    end += period.documentCount;
    const belowEnd = countBelow(removed, end);
    period.documentCount -= belowEnd - below;
    below = belowEnd;
  }
}

function encodeRanks(
  { slotTermIds }: BuildState,
  { segment, rows, slots }: { readonly segment: string; readonly rows: Segment; readonly slots: Uint32Array },
): Uint32Array {
  const order = sortByKey(Uint32Array.from(slots.keys()), slots);
  const sorted = order.map((row) => slots[row] ?? 0);
  for (let i = 1; i < sorted.length; i += 1) {
    if (sorted[i] !== sorted[i - 1]) continue;
    throw new Error(`segment ${segment} holds term ${rows.termIds[order[i] ?? 0]} twice`);
  }
  return encodeSparse(slotTermIds.count, { slots: sorted, values: order.map((row) => rows.ranks[row] ?? 0) });
}

function markSlots(slots: Uint32Array, slotCount: number): Uint32Array {
  const bits = new Uint32Array(Math.ceil(slotCount / 32));
  for (let i = 0; i < slots.length; i += 1) {
    const slot = slots[i] ?? 0;
    bits[slot >>> 5] = (bits[slot >>> 5] ?? 0) | (1 << (slot & 31));
  }
  return bits;
}

/** The second knows as many slots as the first, or more. */
function unite(first: Uint32Array, second: Uint32Array): Uint32Array {
  return second.map((bits, i) => bits | (first[i] ?? 0));
}

/** The products of the new period, which is behind those that there are. */
function markProducts({ fresh, productIds, productNewest, periods }: BuildState, rowCount: number): void {
  extendNumbers(productNewest, productIds.count);
  const { values } = productNewest;
  for (const name of PRODUCT_COLUMNS) {
    const column = fresh[name];
    for (let row = 0; row < rowCount; row += 1) {
      const product = column[row] ?? NONE_32;
      if (product !== NONE_32) values[product] = periods.length + 1;
    }
  }
}

function fillNewDocuments({
  state,
  documents,
  rows,
  slots,
  maps,
}: {
  readonly state: BuildState;
  readonly documents: DocumentArrays;
  readonly rows: Segment;
  readonly slots: Uint32Array;
  readonly maps: SlotMaps;
}): void {
  documents['document-slot'].set(slots);
  documents['latest-rank'].set(rows.ranks);
  for (const [name, values] of rows.columns) documents[name].set(values);
  for (const [product, ...shares] of SHARED_COLUMNS) dropShares(documents, { product, shares, count: rows.rowCount });
  for (const { kind, ids: known, columns } of SLOTTED_COLUMNS) {
    for (const name of columns) {
      const ids = documents[name].subarray(0, rows.rowCount);
      ids.set(slotsOf({ ids, map: maps[kind], known: state[known] }));
    }
  }
  if (rows.originals.size === 0) return;
  for (let row = 0; row < rows.rowCount; row += 1) {
    const original = rows.originals.get(rows.termIds[row] ?? 0);
    if (original !== undefined) documents.original[row] = pushText(state.originals, original) + 1;
  }
}

/** A share without a product is nobody's: no answer shows it, so no sum may have it. */
function dropShares(
  documents: DocumentArrays,
  options: { readonly product: DocumentColumn; readonly shares: readonly DocumentColumn[]; readonly count: number },
): void {
  const products = documents[options.product];
  for (const name of options.shares) {
    const shares = documents[name];
    for (let row = 0; row < options.count; row += 1) if (products[row] === NONE_32) shares[row] = NONE_16;
  }
}

/** The slot of each id; an id that is new gets the next one. */
function slotsOf({
  ids,
  map,
  known,
}: {
  readonly ids: Uint32Array | Uint16Array;
  readonly map: SlotMap;
  readonly known: GrowingNumbers<Uint32Array>;
}): Uint32Array {
  const slots = new Uint32Array(ids.length);
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[i] ?? 0;
    if (id === NONE_32) {
      slots[i] = NONE_32;
      continue;
    }
    if (id >= map.places.length) extendMap(map, id + 1);
    let slot = findSlot(map, id);
    if (slot < 0) {
      slot = known.count;
      map.places[id] = slot + 1;
      pushNumber(known, id);
    }
    slots[i] = slot;
  }
  return slots;
}

function openSlotMap({ values, count }: GrowingNumbers<Uint32Array>): SlotMap {
  let maxId = 0;
  for (let slot = 0; slot < count; slot += 1) maxId = Math.max(maxId, values[slot] ?? 0);
  const places = new Uint32Array(maxId + MIN_MAP_ROOM);
  for (let slot = 0; slot < count; slot += 1) places[values[slot] ?? 0] = slot + 1;
  return { places };
}

function extendMap(map: SlotMap, length: number): void {
  const extended = new Uint32Array(Math.max(length + MIN_MAP_ROOM, Math.ceil(map.places.length * 1.5)));
  extended.set(map.places);
  map.places = extended;
}
