// A loaded snapshot as the engine sees it: typed views on shared memory, named. Making a view costs nothing, so every worker
// thread makes its own from the buffers it is handed.
import { type Period, parsePeriodKey } from '../../domain/period.ts';
import { rankColumnName, rowIndexName, type SnapshotManifest } from './format.ts';
import { openPeriodRows } from './period-rows.ts';
import type { Seasons } from './season-columns.ts';
import { openSparse } from './sparse-column.ts';
import { type SummaryBuffers, summarize } from './summaries.ts';
import { viewText } from './text-column.ts';

export type SnapshotBuffers = Readonly<Record<string, SharedArrayBuffer>>;

/** Reading from it is an error. */
const NO_FILE = -1;

export type Triple<T> = readonly [T, T, T];

export type SnapshotView = Readonly<ReturnType<typeof viewSnapshot>>;
export type Summaries = Readonly<ReturnType<typeof viewSummary>>;

/** One literal, with every property in it: access to them is what searches consist of. Row files are open, one per period. */
export function viewSnapshot(manifest: SnapshotManifest, buffers: SnapshotBuffers, rowFiles: readonly number[] = []) {
  const { u8, u16, u32, text, triple } = openColumns(buffers);
  const periodKeys = manifest.periods.map(({ key }) => key);
  return {
    set: { marketplace: manifest.marketplace, frequency: manifest.frequency, source: manifest.source },
    /** Oldest first, as are ranks. */
    periods: periodKeys.map((key) => periodOf(key, manifest)),
    periodKeys,
    /** Newest first: the first document behind those whose newest rank is in the period. */
    periodEnds: periodEndsOf(manifest),
    documentCount: manifest.documentCount,
    documentSlots: u32('document-slot'),
    slotDocuments: u32('slot-document'),
    latestRanks: u32('latest-rank'),
    wordCounts: u8('word-count'),
    /** By document of the newest period: its rank in the period before, 0 for none. */
    previousRanks: u32('previous-rank'),
    /** Its place among them in the order of the terms. */
    termPlaces: u32('term-place'),
    /** Where it moved, the place of its change in percent; equal ones share it. */
    percentagePlaces: u32('percentage-place'),
    /** Documents that moved: by the change, and by its size; largest first, equal ones ascending. */
    changeOrder: u32('change-order'),
    absChangeOrder: u32('abs-change-order'),
    /** Distinct trigrams of the term, MAX_TRIGRAM_COUNT at most. */
    trigramCounts: u8('trigram-count'),
    /** 0, or 1 + the index of the term as imported. */
    originals: openSparse(u32('original')),
    products: triple(u32, 'product'),
    clickShares: triple(u16, 'click-share'),
    conversionShares: triple(u16, 'conversion-share'),
    brands: triple(u32, 'brand'),
    categories: triple(u16, 'category'),
    /** By period, then slot. */
    ranks: periodKeys.map((key) => openSparse(u32(rankColumnName(key)))),
    rows: periodKeys.map((key, i) => openPeriodRows(u32(rowIndexName(key)), rowFiles[i] ?? NO_FILE)),
    /** By number of newest periods, while they are attached; the summaries of all periods are always there. */
    summaries: new Map([[periodKeys.length, viewSummary(buffers)]]),
    seasons: new Map<number, Seasons>(),
    terms: text('term'),
    termIndex: u32('term-index'),
    slotWords: u32('slot-words'),
    slotWordEnds: u32('slot-word-ends'),
    words: text('word'),
    wordIndex: u32('word-index'),
    wordStems: u32('word-stem'),
    wordForms: u8('word-form'),
    wordFirstDocuments: u32('word-first-document'),
    stems: text('stem'),
    stemIndex: u32('stem-index'),
    stemPostingEnds: u32('stem-posting-ends'),
    stemPostings: u32('stem-postings'),
    stemPostingMarks: u16('stem-posting-marks'),
    trigramEnds: u32('trigram-ends'),
    trigramWords: u32('trigram-words'),
    asins: text('asin'),
    asinIndex: u32('asin-index'),
    /** Of products, as are ASINs. */
    titles: { codes: text('title'), words: text('title-word') },
    /** 1 + the index of the newest period that names the product. */
    productNewest: u16('product-newest'),
    productPostingEnds: u32('product-posting-ends'),
    productPostings: u32('product-postings'),
    brandNames: text('brand'),
    brandIndex: u32('brand-index'),
    brandPostingEnds: u32('brand-posting-ends'),
    brandPostings: u32('brand-postings'),
    categoryNames: manifest.categories,
    originalTexts: text('original'),
  };
}

function openColumns(buffers: SnapshotBuffers) {
  const bufferOf = (name: string): SharedArrayBuffer => {
    const buffer = buffers[name];
    if (!buffer) throw new Error(`the snapshot lacks the column ${name}`);
    return buffer;
  };
  const u8 = (name: string): Uint8Array => new Uint8Array(bufferOf(name));
  const u16 = (name: string): Uint16Array => new Uint16Array(bufferOf(name));
  const u32 = (name: string): Uint32Array => new Uint32Array(bufferOf(name));
  const text = (name: string) => viewText(bufferOf(`${name}-text`), u32(`${name}-ends`));
  const triple = <T>(column: (name: string) => T, name: string): Triple<T> => [
    column(`${name}-1`),
    column(`${name}-2`),
    column(`${name}-3`),
  ];
  return { u8, u16, u32, text, triple };
}

/** The summary of the newest periods, as many as `size`. */
export function summarizeWindow(
  view: SnapshotView,
  { size, throwIfCancelled }: { readonly size: number; readonly throwIfCancelled?: () => void },
): SummaryBuffers {
  const { slotDocuments, periodEnds } = view;
  const [newestCount = 0] = periodEnds;
  const visibleCount = periodEnds[size - 1] ?? 0;
  return summarize({ ranks: view.ranks.slice(-size), slotDocuments, visibleCount, newestCount }, throwIfCancelled);
}

export function viewSummary(buffers: SnapshotBuffers | SummaryBuffers) {
  const { u16, u32 } = openColumns(buffers);
  return {
    bestRanks: u32('best-rank'),
    worstRanks: u32('worst-rank'),
    /** In hundredths. */
    avgRanks: u32('avg-rank'),
    totalPeriods: u16('total-periods'),
    /** The first period with a rank, counted from the window's oldest. */
    firstPeriods: u16('first-period'),
    /** Documents whose only rank in the window is in the newest period, ascending. */
    newcomers: u32('newcomer'),
  };
}

/** The index of a document's newest period in `periods`. */
export function latestPeriodIndex(view: SnapshotView, document: number): number {
  const group = view.periodEnds.findIndex((end) => document < end);
  return view.periods.length - 1 - group;
}

function periodOf(key: string, { frequency }: SnapshotManifest): Period {
  const period = parsePeriodKey(key, frequency);
  if (!period) throw new Error(`the snapshot names the period ${key}, which does not exist`);
  return period;
}

function periodEndsOf(manifest: SnapshotManifest): readonly number[] {
  let end = 0;
  return [...manifest.periods].reverse().map(({ documentCount }) => {
    end += documentCount;
    return end;
  });
}
