// The keywords that a product or a brand holds in one period. Under each of its titles or spellings it has a slot of its own; in a
// period that is nearly always one of them.
import type { Holder, Standing } from '../../domain/holder.ts';
import { isSamePeriod, type Period } from '../../domain/period.ts';
import { listBrands } from '../build/brand-index.ts';
import { NONE_16 } from '../format/format.ts';
import { ENTRY_WORDS, findList, type ListKind, readWords } from '../format/period-rows.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { listEntries } from '../format/text-column.ts';

export interface HolderSlots {
  readonly kind: ListKind;
  readonly slots: readonly number[];
}

/** Ascending by term. */
export interface HeldList {
  /** A term's slot and the place: 4 × slot + place. */
  readonly terms: Uint32Array;
  /** Click share, and 65,536 × conversion share; brands have none. */
  readonly shares: Uint32Array | undefined;
}

export function findHolderSlots(view: SnapshotView, holder: Holder): HolderSlots {
  return holder.kind === 'product'
    ? { kind: 'products', slots: listEntries(view.asinIndex, view.asins, holder.asin) }
    : { kind: 'brands', slots: listBrands(view.brandIndex, view.brandNames, holder.name) };
}

/** In the view's periods. */
export function indexOfPeriod(view: SnapshotView, period: Period | undefined): number | undefined {
  const index = period ? view.periods.findIndex((each) => isSamePeriod(each, period)) : -1;
  return index < 0 ? undefined : index;
}

/** `period` is an index of the view's periods. */
export function readHeldList(view: SnapshotView, { kind, slots }: HolderSlots, period: number): HeldList {
  const lists = slots.flatMap((slot) => readSlotList(view, { kind, slot, period }) ?? []);
  const [first = emptyList(kind), ...others] = lists;
  return others.reduce(mergeTwo, first);
}

export function placeAt({ terms }: HeldList, entry: number): number {
  return (terms[entry] ?? 0) & 3;
}

/** In hundredths; undefined when it is not known. */
export function clickShareAt({ shares }: HeldList, entry: number): number | undefined {
  return shares && knownShare((shares[entry] ?? 0) & NONE_16);
}

export function conversionShareAt({ shares }: HeldList, entry: number): number | undefined {
  return shares && knownShare((shares[entry] ?? 0) >>> 16);
}

export function standingAt(list: HeldList, entry: number): Standing {
  return {
    place: placeAt(list, entry),
    clickShare: percent(clickShareAt(list, entry)),
    conversionShare: percent(conversionShareAt(list, entry)),
  };
}

/** Null for what is not known. */
export function percent(hundredths: number | undefined): number | null {
  return hundredths === undefined ? null : hundredths / 100;
}

export function knownShare(share: number): number | undefined {
  return share === NONE_16 ? undefined : share;
}

export function emptyList(kind: ListKind): HeldList {
  return { terms: new Uint32Array(0), shares: kind === 'products' ? new Uint32Array(0) : undefined };
}

interface SlotInPeriod {
  readonly kind: ListKind;
  readonly slot: number;
  readonly period: number;
}

function readSlotList(view: SnapshotView, at: SlotInPeriod): HeldList | undefined {
  const words = readEntries(view, at);
  if (!words || at.kind === 'brands') return words && { terms: words.slice(), shares: undefined };
  const count = words.length / ENTRY_WORDS.products;
  const [terms, shares] = [new Uint32Array(count), new Uint32Array(count)];
  for (let entry = 0; entry < count; entry += 1) {
    terms[entry] = words[2 * entry] ?? 0;
    shares[entry] = words[2 * entry + 1] ?? 0;
  }
  return { terms, shares };
}

/** As the file has them; valid until the next reading. */
function readEntries(view: SnapshotView, { kind, slot, period }: SlotInPeriod): Uint32Array | undefined {
  const rows = view.rows[period];
  const found = rows && findList(rows, kind, slot);
  return found && readWords(rows, { start: found.start, count: found.count * ENTRY_WORDS[kind] });
}

/** Of positions in terms, both ascending, those whose term it holds in the period. */
export function keepHeld(
  view: SnapshotView,
  { kind, slots }: HolderSlots,
  {
    terms,
    positions,
    period,
  }: { readonly terms: Uint32Array; readonly positions: Uint32Array; readonly period: number },
): Uint32Array {
  const isHeld = new Uint8Array(positions.length);
  const width = ENTRY_WORDS[kind];
  for (const slot of slots) {
    const words = readEntries(view, { kind, slot, period });
    if (!words) continue;
    for (let i = 0, at = 0; i < positions.length && at < words.length; i += 1) {
      const term = terms[positions[i] ?? 0] ?? 0;
      while (at < words.length && (words[at] ?? 0) >>> 2 < term) at += width;
      if (at < words.length && (words[at] ?? 0) >>> 2 === term) isHeld[i] = 1;
    }
  }
  return positions.filter((_, i) => isHeld[i] === 1);
}

/** Of a term that stands in both the better place counts. */
function mergeTwo(a: HeldList, b: HeldList): HeldList {
  const terms = new Uint32Array(a.terms.length + b.terms.length);
  const shares = a.shares && new Uint32Array(terms.length);
  let count = 0;
  for (let i = 0, j = 0; i < a.terms.length || j < b.terms.length; ) {
    const isFirst = j >= b.terms.length || (i < a.terms.length && (a.terms[i] ?? 0) <= (b.terms[j] ?? 0));
    const [list, entry] = isFirst ? [a, i] : [b, j];
    i += Number(isFirst);
    j += Number(!isFirst);
    const packed = list.terms[entry] ?? 0;
    if (count > 0 && packed >>> 2 === (terms[count - 1] ?? 0) >>> 2) continue;
    terms[count] = packed;
    if (shares) shares[count] = list.shares?.[entry] ?? 0;
    count += 1;
  }
  return { terms: terms.subarray(0, count), shares: shares?.subarray(0, count) };
}
