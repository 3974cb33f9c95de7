// Which brands and categories a report names beside a product or a brand, and for how many of its keywords.
import { type HolderSummary, MAX_NAMED_BESIDE, type NamedCount } from '../../domain/holder.ts';
import { NONE_16, NONE_32 } from '../format/format.ts';
import { RECORD_BRANDS, RECORD_CATEGORIES } from '../format/period-rows.ts';
import type { SnapshotView, Triple } from '../format/snapshot-view.ts';
import { compareTexts, readText } from '../format/text-column.ts';
import { type HolderSlots, readHeldList } from './held-list.ts';
import { readRecord } from './term-periods.ts';

/** How often each name was counted, and which ones were. */
interface Counts {
  readonly byName: Uint32Array;
  readonly named: number[];
  readonly none: number;
}

/** Rows between two looks at the cancellation flag. */
const CHUNK = 4096;

export function listNamedBeside(
  view: SnapshotView,
  { slots: holder, period }: { readonly slots: HolderSlots; readonly period: number },
  throwIfCancelled: () => void,
): Pick<HolderSummary, 'brands' | 'categories'> {
  const { terms } = readHeldList(view, holder, period);
  const brands = newCounts(view.brandNames.ends.length, NONE_32);
  const categories = newCounts(view.categoryNames.length, NONE_16);
  const count = period === view.periods.length - 1 ? countOfDocument : countOfRecord;
  for (let entry = 0; entry < terms.length; entry += 1) {
    if (entry % CHUNK === 0) throwIfCancelled();
    count(view, { brands, categories, period, term: (terms[entry] ?? 0) >>> 2 });
  }
  if (holder.kind === 'brands') for (const slot of holder.slots) brands.byName[slot] = 0;
  const nameOf = (category: number): string => view.categoryNames[category] ?? '';
  return {
    brands: listMost(brands, {
      compare: (a, b) => compareTexts(view.brandNames, [a, b]),
      read: (brand) => readText(view.brandNames, brand),
    }),
    categories: listMost(categories, {
      compare: (a, b) => Buffer.compare(Buffer.from(nameOf(a)), Buffer.from(nameOf(b))),
      read: nameOf,
    }),
  };
}

interface Counted {
  readonly brands: Counts;
  readonly categories: Counts;
  readonly period: number;
  readonly term: number;
}

/** What the newest period names is in memory. */
function countOfDocument(view: SnapshotView, { brands, categories, term }: Counted): void {
  const document = view.slotDocuments[term] ?? 0;
  countEach(brands, document, view.brands);
  countEach(categories, document, view.categories);
}

function countOfRecord(view: SnapshotView, { brands, categories, period, term }: Counted): void {
  const record = readRecord(view, { period, term });
  if (!record) return;
  const pair = record[RECORD_CATEGORIES] ?? 0;
  const [first, second, third] = [pair & NONE_16, pair >>> 16, record[RECORD_CATEGORIES + 1] ?? 0];
  countEach(brands, 0, [
    record.subarray(RECORD_BRANDS),
    record.subarray(RECORD_BRANDS + 1),
    record.subarray(RECORD_BRANDS + 2),
  ]);
  countEach(categories, 0, [[first], [second], [third]]);
}

function newCounts(nameCount: number, none: number): Counts {
  return { byName: new Uint32Array(nameCount), named: [], none };
}

/** Of the three columns what stands at a place: each once, however often it is named. */
function countEach(counts: Counts, at: number, [first, second, third]: Triple<ArrayLike<number>>): void {
  const { none } = counts;
  const [a, b, c] = [first[at] ?? none, second[at] ?? none, third[at] ?? none];
  if (a !== none) countOne(counts, a);
  if (b !== none && b !== a) countOne(counts, b);
  if (c !== none && c !== a && c !== b) countOne(counts, c);
}

function countOne({ byName, named }: Counts, name: number): void {
  const count = byName[name] ?? 0;
  if (count === 0) named.push(name);
  byName[name] = count + 1;
}

function listMost(
  counts: Counts,
  { compare, read }: { readonly compare: (a: number, b: number) => number; readonly read: (each: number) => string },
): readonly NamedCount[] {
  const countOf = (name: number): number => counts.byName[name] ?? 0;
  return counts.named
    .filter((name) => countOf(name) > 0)
    .sort((a, b) => countOf(b) - countOf(a) || compare(a, b))
    .slice(0, MAX_NAMED_BESIDE)
    .map((name) => ({ name: read(name), keywords: countOf(name) }));
}
