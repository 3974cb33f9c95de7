// Which brands and categories a report names beside a product or a brand, and for how many of its keywords. Of a long list the file has the
// most frequent ones; those of a short one are counted here.
import { type HolderSummary, MAX_NAMED_BESIDE, type NamedCount } from '../../domain/holder.ts';
import { NONE_16, NONE_32 } from '../format/format.ts';
import { countNames, findNamesBeside, NameCounts, type NamePair, type NamesBeside } from '../format/names-beside.ts';
import { findList } from '../format/period-rows.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { compareTexts, readText } from '../format/text-column.ts';
import { type HolderSlots, readHeldList } from './held-list.ts';
import { readRecord } from './term-periods.ts';

interface Holding {
  readonly slots: HolderSlots;
  readonly period: number;
}

/** Rows between two looks at the cancellation flag. */
const CHUNK = 4096;

export function listNamedBeside(
  view: SnapshotView,
  holding: Holding,
  throwIfCancelled: () => void,
): Pick<HolderSummary, 'brands' | 'categories'> {
  const { brands, categories } = namesInFile(view, holding) ?? countBeside(view, holding, throwIfCancelled);
  const nameOf = (category: number): string => view.categoryNames[category] ?? '';
  return {
    brands: showMost(brands, {
      compare: (a, b) => compareTexts(view.brandNames, [a, b]),
      read: (brand) => readText(view.brandNames, brand),
    }),
    categories: showMost(categories, {
      compare: (a, b) => Buffer.compare(Buffer.from(nameOf(a)), Buffer.from(nameOf(b))),
      read: nameOf,
    }),
  };
}

/** Undefined when they have to be counted: the list is short, or one of several, or too many names are equally frequent. */
function namesInFile(view: SnapshotView, { slots: { kind, slots }, period }: Holding): NamesBeside | undefined {
  const rows = view.rows[period];
  if (!rows) return undefined;
  const [list, ...others] = slots.flatMap((slot) => findList(rows, kind, slot) ?? []);
  return list && others.length === 0 ? findNamesBeside(rows, list) : undefined;
}

function countBeside(
  view: SnapshotView,
  { slots: holder, period }: Holding,
  throwIfCancelled: () => void,
): NamesBeside {
  const { terms } = readHeldList(view, holder, period);
  const counts = {
    brands: new NameCounts(view.brandNames.ends.length, NONE_32),
    categories: new NameCounts(view.categoryNames.length, NONE_16),
  };
  const count = period === view.periods.length - 1 ? countDocument : countRecord;
  for (let entry = 0; entry < terms.length; entry += 1) {
    if (entry % CHUNK === 0) throwIfCancelled();
    count(view, { ...counts, period, term: (terms[entry] ?? 0) >>> 2 });
  }
  if (holder.kind === 'brands') for (const slot of holder.slots) counts.brands.drop(slot);
  return {
    brands: counts.brands.listMost(MAX_NAMED_BESIDE),
    categories: counts.categories.listMost(MAX_NAMED_BESIDE),
  };
}

interface Counted {
  readonly brands: NameCounts;
  readonly categories: NameCounts;
  readonly period: number;
  readonly term: number;
}

/** What the newest period names is in memory. */
function countDocument(view: SnapshotView, { brands, categories, term }: Counted): void {
  const document = view.slotDocuments[term] ?? 0;
  const [brand1, brand2, brand3] = view.brands;
  brands.addRow(brand1[document] ?? NONE_32, brand2[document] ?? NONE_32, brand3[document] ?? NONE_32);
  const [category1, category2, category3] = view.categories;
  const third = category3[document] ?? NONE_16;
  categories.addRow(category1[document] ?? NONE_16, category2[document] ?? NONE_16, third);
}

function countRecord(view: SnapshotView, { brands, categories, period, term }: Counted): void {
  const record = readRecord(view, { period, term });
  if (record) countNames(record, 0, { brands, categories });
}

function showMost(
  pairs: readonly NamePair[],
  { compare, read }: { readonly compare: (a: number, b: number) => number; readonly read: (each: number) => string },
): readonly NamedCount[] {
  return pairs
    .toSorted(([a, countOfA], [b, countOfB]) => countOfB - countOfA || compare(a, b))
    .slice(0, MAX_NAMED_BESIDE)
    .map(([name, keywords]) => ({ name: read(name), keywords }));
}
