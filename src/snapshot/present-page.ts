// A page of documents as the JSON of Spec 2.3, in the field order of the specification.
import { NONE_16, NONE_32 } from './format.ts';
import {
  finishedJson,
  type JsonBuffer,
  newJsonBuffer,
  writeFixed,
  writeHundredths,
  writeNumber,
  writePlain,
  writeText,
} from './json-buffer.ts';
import type { PlanWindow } from './plan-window.ts';
import type { SearchOutcome } from './search.ts';
import { latestPeriodIndex, type SnapshotView } from './snapshot-view.ts';
import { type TextColumn, textEnd, textStart } from './text-column.ts';

const SEARCH_TERM = Buffer.from('{"search_term":');
const NORMALIZED = Buffer.from(',"normalized_search_term":');
const DATA = Buffer.from(',"data":{');
const TOTAL_PERIODS = Buffer.from('},"summary":{"total_periods":');
const BEST_RANK = Buffer.from(',"best_rank":');
const WORST_RANK = Buffer.from(',"worst_rank":');
const AVG_RANK = Buffer.from(',"avg_rank":');
const LATEST_RANK = Buffer.from(',"latest_rank":');
const LATEST_PERIOD = Buffer.from(',"latest_period":');
const BRANDS = Buffer.from('},"latest_data":{"brands":[');
const PRODUCTS = Buffer.from('],"products":[');
const ASIN = Buffer.from('{"asin":');
const TITLE = Buffer.from(',"title":');
const CLICK_SHARE = Buffer.from(',"click_share":');
const CONVERSION_SHARE = Buffer.from(',"conversion_share":');
const CATEGORIES = Buffer.from('],"categories":[');
const ROW_END = Buffer.from(']}}');
const COMMA = Buffer.from(',');

/** Texts that the pages of a snapshot repeat. */
interface FixedTexts {
  /** Period keys in quotes. */
  readonly periodKeys: readonly Uint8Array[];
  /** Period keys as names of an object: with a colon behind and, for all but the first name, a comma before. */
  readonly firstNames: readonly Uint8Array[];
  readonly nextNames: readonly Uint8Array[];
  /** By category id, in quotes. */
  readonly categories: readonly Uint8Array[];
}

/** What every row of a page shares. */
interface Page extends FixedTexts {
  readonly view: SnapshotView;
  readonly window: PlanWindow;
}

const fixedTexts = new WeakMap<SnapshotView, FixedTexts>();

export function presentPage(view: SnapshotView, { documents, window }: SearchOutcome): Uint8Array {
  const json = newJsonBuffer();
  writePlain(json, '[');
  if (window && documents.length > 0) {
    const page: Page = { view, window, ...fixedTextsOf(view) };
    for (const [i, document] of documents.entries()) {
      if (i > 0) writeFixed(json, COMMA);
      presentDocument(json, page, document);
    }
  }
  writePlain(json, ']');
  return finishedJson(json);
}

function fixedTextsOf(view: SnapshotView): FixedTexts {
  const known = fixedTexts.get(view);
  if (known) return known;
  const texts: FixedTexts = {
    periodKeys: view.periodKeys.map(quoted),
    firstNames: view.periodKeys.map((key) => Buffer.from(`${JSON.stringify(key)}:`)),
    nextNames: view.periodKeys.map((key) => Buffer.from(`,${JSON.stringify(key)}:`)),
    categories: view.categoryNames.map(quoted),
  };
  fixedTexts.set(view, texts);
  return texts;
}

function presentDocument(json: JsonBuffer, page: Page, document: number): void {
  const { view, window, periodKeys } = page;
  const slot = view.documentSlots[document] ?? 0;
  const original = view.originals[document] ?? 0;
  writeFixed(json, SEARCH_TERM);
  if (original === 0) presentText(json, view.terms, slot);
  else presentText(json, view.originalTexts, original - 1);
  writeFixed(json, NORMALIZED);
  presentText(json, view.terms, slot);
  writeFixed(json, DATA);
  presentRanks(json, page, slot);
  writeFixed(json, TOTAL_PERIODS);
  writeNumber(json, window.summaries.totalPeriods[document] ?? 0);
  writeFixed(json, BEST_RANK);
  writeNumber(json, window.summaries.bestRanks[document] ?? 0);
  writeFixed(json, WORST_RANK);
  writeNumber(json, window.summaries.worstRanks[document] ?? 0);
  writeFixed(json, AVG_RANK);
  writeHundredths(json, window.summaries.avgRanks[document] ?? 0);
  writeFixed(json, LATEST_RANK);
  writeNumber(json, view.latestRanks[document] ?? 0);
  writeFixed(json, LATEST_PERIOD);
  writeFixed(json, periodKeys[latestPeriodIndex(view, document)] ?? COMMA);
  presentLatest(json, page, document);
  writeFixed(json, ROW_END);
}

/** Oldest first; only periods that have a rank. */
function presentRanks(json: JsonBuffer, { view, window, firstNames, nextNames }: Page, slot: number): void {
  let names = firstNames;
  for (let period = window.firstPeriod; period < view.ranks.length; period += 1) {
    const ranks = view.ranks[period];
    const rank = ranks && slot < ranks.length ? (ranks[slot] ?? 0) : 0;
    if (rank === 0) continue;
    writeFixed(json, names[period] ?? COMMA);
    writeNumber(json, rank);
    names = nextNames;
  }
}

function presentLatest(json: JsonBuffer, { view, categories }: Page, document: number): void {
  writeFixed(json, BRANDS);
  let isFirst = true;
  for (const column of view.brands) {
    const brand = column[document] ?? NONE_32;
    if (brand === NONE_32) continue;
    if (!isFirst) writeFixed(json, COMMA);
    presentText(json, view.brandNames, brand);
    isFirst = false;
  }
  writeFixed(json, PRODUCTS);
  isFirst = true;
  for (let place = 0; place < view.products.length; place += 1) {
    const product = view.products[place]?.[document] ?? NONE_32;
    if (product === NONE_32) continue;
    if (!isFirst) writeFixed(json, COMMA);
    writeFixed(json, ASIN);
    presentText(json, view.asins, product);
    writeFixed(json, TITLE);
    presentText(json, view.titles, view.productTitles[product] ?? 0);
    writeFixed(json, CLICK_SHARE);
    presentShare(json, view.clickShares[place]?.[document]);
    writeFixed(json, CONVERSION_SHARE);
    presentShare(json, view.conversionShares[place]?.[document]);
    writePlain(json, '}');
    isFirst = false;
  }
  writeFixed(json, CATEGORIES);
  isFirst = true;
  for (const column of view.categories) {
    const category = column[document] ?? NONE_16;
    if (category === NONE_16) continue;
    if (!isFirst) writeFixed(json, COMMA);
    writeFixed(json, categories[category] ?? COMMA);
    isFirst = false;
  }
}

/** The specification's type is a number, so an unknown share is written as 0. */
function presentShare(json: JsonBuffer, hundredths: number | undefined): void {
  writeHundredths(json, hundredths === undefined || hundredths === NONE_16 ? 0 : hundredths);
}

function presentText(json: JsonBuffer, text: TextColumn, index: number): void {
  writeText(json, text.bytes, { start: textStart(text, index), end: textEnd(text, index) });
}

function quoted(text: string): Uint8Array {
  return Buffer.from(JSON.stringify(text));
}
