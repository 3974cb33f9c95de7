// A page of documents as the JSON of Spec 2.3, in the field order of the specification, with insights where the plan asks for them.
import { type InsightSource, openInsights } from '../../domain/insights.ts';
import { presentInsights } from '../../export/insight-fields.ts';
import { type KeptText, openKeptTexts } from '../format/coded-text.ts';
import { NONE_16, NONE_32 } from '../format/format.ts';
import { latestPeriodIndex, type SnapshotView } from '../format/snapshot-view.ts';
import { partOf, type TextColumn, textEnd, textStart } from '../format/text-column.ts';
import {
  type FixedNames,
  type FixedText,
  fixNames,
  fixText,
  type JsonBuffer,
  newJsonBuffer,
  writeFixed,
  writeHundredths,
  writeNamedNumbers,
  writeNumber,
  writeText,
  writtenJson,
} from './json-buffer.ts';
import { FIELDS, fetchPage, type PageValues, PLACES, touchTexts } from './page-values.ts';
import type { PlanWindow } from './plan-window.ts';
import type { SearchOutcome } from './search.ts';
import { openTitleGaps } from './title-gap.ts';

const SEARCH_TERM = fixText('{"search_term":');
const NORMALIZED = fixText(',"normalized_search_term":');
const DATA = fixText(',"data":');
const TOTAL_PERIODS = fixText(',"summary":{"total_periods":');
const BEST_RANK = fixText(',"best_rank":');
const WORST_RANK = fixText(',"worst_rank":');
const AVG_RANK = fixText(',"avg_rank":');
const LATEST_RANK = fixText(',"latest_rank":');
const LATEST_PERIOD = fixText(',"latest_period":');
const BRANDS = fixText('},"latest_data":{"brands":[');
const PRODUCTS = fixText('],"products":[');
const ASIN = fixText('{"asin":');
const TITLE = fixText(',"title":');
const CLICK_SHARE = fixText(',"click_share":');
const CONVERSION_SHARE = fixText(',"conversion_share":');
const CATEGORIES = fixText('],"categories":[');
const LATEST_END = fixText(']}');
const INSIGHTS = fixText(',"insights":');
const ROW_END = fixText('}');
const COMMA = fixText(',');
const PAGE_START = fixText('[');
const PAGE_END = fixText(']');
const PRODUCT_END = fixText('}');

/** What the pages of a snapshot share. */
interface PageTexts {
  /** Period keys in quotes. */
  readonly periodKeys: readonly FixedText[];
  readonly periodNames: FixedNames;
  /** By category id, in quotes. */
  readonly categories: readonly FixedText[];
  readonly titleOf: (product: number) => KeptText;
}

/** What every row of a page shares. */
interface Page extends PageTexts, PageValues {
  readonly view: SnapshotView;
  readonly window: PlanWindow;
  /** Undefined unless the plan asks for them. */
  readonly insightsOf: ReturnType<typeof openInsights> | undefined;
}

interface Row {
  readonly document: number;
  /** Where its values begin. */
  readonly start: number;
}

/** A thread writes one page at a time, so that all use the same memory. */
const json = newJsonBuffer();
const pageTexts = new WeakMap<SnapshotView, PageTexts>();

/** The bytes are those of this page until the next one is written. */
export function presentPage(view: SnapshotView, { plan, documents, window }: SearchOutcome): Uint8Array {
  json.length = 0;
  writeFixed(json, PAGE_START);
  if (window && documents.length > 0) {
    const insightsOf = plan.includesInsights ? openInsights(plan) : undefined;
    const page: Page = { view, window, insightsOf, ...pageTextsOf(view), ...fetchPage(view, { documents, window }) };
    touchTexts(view, page, documents.length);
    for (const [i, document] of documents.entries()) {
      if (i > 0) writeFixed(json, COMMA);
      presentRow(json, page, { document, start: i * page.width });
    }
  }
  writeFixed(json, PAGE_END);
  return writtenJson(json);
}

function pageTextsOf(view: SnapshotView): PageTexts {
  const known = pageTexts.get(view);
  if (known) return known;
  const texts: PageTexts = {
    periodKeys: view.periodKeys.map(quoted),
    periodNames: fixNames(view.periodKeys),
    categories: view.categoryNames.map(quoted),
    titleOf: openKeptTexts(view.titles),
  };
  pageTexts.set(view, texts);
  return texts;
}

function presentRow(json: JsonBuffer, page: Page, { document, start }: Row): void {
  const { view, periodKeys, values } = page;
  const slot = values[start + FIELDS.slot] ?? 0;
  const original = values[start + FIELDS.original] ?? 0;
  writeFixed(json, SEARCH_TERM);
  if (original === 0) presentText(json, view.terms, slot);
  else presentText(json, view.originalTexts, original - 1);
  writeFixed(json, NORMALIZED);
  presentText(json, view.terms, slot);
  writeFixed(json, DATA);
  // Oldest first; only periods that have a rank.
  const ranks = { values, from: start + FIELDS.ranks, to: start + page.width, name: page.window.firstPeriod };
  writeNamedNumbers(json, page.periodNames, ranks);
  writeFixed(json, TOTAL_PERIODS);
  writeNumber(json, values[start + FIELDS.totalPeriods] ?? 0);
  writeFixed(json, BEST_RANK);
  writeNumber(json, values[start + FIELDS.bestRank] ?? 0);
  writeFixed(json, WORST_RANK);
  writeNumber(json, values[start + FIELDS.worstRank] ?? 0);
  writeFixed(json, AVG_RANK);
  writeHundredths(json, values[start + FIELDS.avgRank] ?? 0);
  writeFixed(json, LATEST_RANK);
  writeNumber(json, values[start + FIELDS.latestRank] ?? 0);
  writeFixed(json, LATEST_PERIOD);
  writeFixed(json, periodKeys[latestPeriodIndex(view, document)] ?? COMMA);
  presentLatest(json, page, start);
  writeFixed(json, LATEST_END);
  if (page.insightsOf) {
    writeFixed(json, INSIGHTS);
    writeFixed(json, fixText(JSON.stringify(presentInsights(page.insightsOf(readSource(page, { document, start }))))));
  }
  writeFixed(json, ROW_END);
}

function readSource({ view, values, width }: Page, { document, start }: Row): InsightSource {
  const shareAt = (field: number): number | null => {
    const hundredths = values[start + field] ?? NONE_16;
    return hundredths === NONE_16 ? null : hundredths / 100;
  };
  const products = Array.from({ length: PLACES }, (_, place) => ({
    clickShare: shareAt(FIELDS.clickShare + place),
    conversionShare: shareAt(FIELDS.conversionShare + place),
  }));
  return {
    ranks: values.subarray(start + FIELDS.ranks, start + width),
    products,
    titleGap: openTitleGaps(view)(document),
  };
}

function presentLatest(json: JsonBuffer, page: Page, start: number): void {
  const { values, categories, view } = page;
  writeFixed(json, BRANDS);
  let isFirst = true;
  for (let place = 0; place < PLACES; place += 1) {
    const brand = values[start + FIELDS.brand + place] ?? NONE_32;
    if (brand === NONE_32) continue;
    if (!isFirst) writeFixed(json, COMMA);
    presentText(json, view.brandNames, brand);
    isFirst = false;
  }
  writeFixed(json, PRODUCTS);
  isFirst = true;
  for (let place = 0; place < PLACES; place += 1) {
    const product = values[start + FIELDS.product + place] ?? NONE_32;
    if (product === NONE_32) continue;
    if (!isFirst) writeFixed(json, COMMA);
    writeFixed(json, ASIN);
    presentText(json, view.asins, product);
    writeFixed(json, TITLE);
    const title = page.titleOf(product);
    writeText(json, title.view, title);
    writeFixed(json, CLICK_SHARE);
    presentShare(json, values[start + FIELDS.clickShare + place]);
    writeFixed(json, CONVERSION_SHARE);
    presentShare(json, values[start + FIELDS.conversionShare + place]);
    writeFixed(json, PRODUCT_END);
    isFirst = false;
  }
  writeFixed(json, CATEGORIES);
  isFirst = true;
  for (let place = 0; place < PLACES; place += 1) {
    const category = values[start + FIELDS.category + place] ?? NONE_16;
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
  const part = partOf(text, index);
  writeText(json, part.view, { start: textStart(part, index), end: textEnd(part, index) });
}

function quoted(text: string): FixedText {
  return fixText(JSON.stringify(text));
}
