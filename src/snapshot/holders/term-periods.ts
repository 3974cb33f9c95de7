// A term's past, and the titles of products as they are known today.
import type { TermHistoryPlan, TermPeriod } from '../../domain/holder.ts';
import type { SearchRowProduct } from '../../domain/search-row.ts';
import { readCodedText } from '../format/coded-text.ts';
import { NONE_16, NONE_32 } from '../format/format.ts';
import { RECORD_BRANDS, RECORD_SHARES, RECORD_WORDS, readWords } from '../format/period-rows.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { placeOf, valueAt } from '../format/sparse-column.ts';
import { findEntry, listEntries, readText } from '../format/text-column.ts';
import { findWindow } from '../query/plan-window.ts';
import { knownShare, percent } from './held-list.ts';

const PLACES = [0, 1, 2] as const;

export function listTermPeriods(view: SnapshotView, plan: TermHistoryPlan): readonly TermPeriod[] {
  const window = findWindow(view, plan);
  if (!window) return [];
  const slot = findEntry(view.termIndex, view.terms, plan.term);
  const titles = new Map<string, string>();
  const titleOf = (asin: string): string => {
    const title = titles.get(asin) ?? findTitle(view, { asin, firstPeriod: window.firstPeriod });
    titles.set(asin, title);
    return title;
  };
  return plan.window.map((_, i) => {
    const period = window.firstPeriod + i;
    const ranks = view.ranks[period];
    const rank = slot === undefined || !ranks ? 0 : valueAt(ranks, slot);
    const record = rank === 0 ? undefined : readRecord(view, { period, term: slot ?? 0 });
    return {
      rank: rank || null,
      products: record ? PLACES.flatMap((place) => readProduct(view, { record, place, titleOf })) : [],
      brands: record ? listRecordBrands(record).map((brand) => readText(view.brandNames, brand)) : [],
    };
  });
}

/** What the report of the period names for the term; undefined when it names nothing for any. Valid until the next reading. */
export function readRecord(
  view: SnapshotView,
  { period, term }: { readonly period: number; readonly term: number },
): Uint32Array | undefined {
  const [rows, ranks] = [view.rows[period], view.ranks[period]];
  const place = ranks ? placeOf(ranks, term) : -1;
  if (!rows || place < 0 || rows.recordCount === 0) return undefined;
  return readWords(rows, { start: place * RECORD_WORDS, count: RECORD_WORDS });
}

export function listRecordBrands(record: Uint32Array): readonly number[] {
  return PLACES.map((place) => record[RECORD_BRANDS + place] ?? NONE_32).filter((brand) => brand !== NONE_32);
}

/** The newest title that is not blank, of the periods from this one on. */
export function findTitle(
  view: SnapshotView,
  { asin, firstPeriod }: { readonly asin: string; readonly firstPeriod: number },
): string {
  let title = '';
  let newest = firstPeriod;
  for (const slot of listEntries(view.asinIndex, view.asins, asin)) {
    const seen = view.productNewest[slot] ?? 0;
    if (seen <= newest) continue;
    const text = readCodedText(view.titles, slot);
    if (text === '') continue;
    title = text;
    newest = seen;
  }
  return title;
}

function readProduct(
  view: SnapshotView,
  options: {
    readonly record: Uint32Array;
    readonly place: number;
    readonly titleOf: (asin: string) => string;
  },
): readonly SearchRowProduct[] {
  const { record, place, titleOf } = options;
  const product = record[place] ?? NONE_32;
  if (product === NONE_32) return [];
  const asin = readText(view.asins, product);
  const shares = record[RECORD_SHARES + place] ?? 0;
  const [clickShare, conversionShare] = [knownShare(shares & NONE_16), knownShare(shares >>> 16)].map(percent);
  return [{ asin, title: titleOf(asin), clickShare: clickShare ?? null, conversionShare: conversionShare ?? null }];
}
