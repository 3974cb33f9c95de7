// A loaded snapshot as the engine sees it: typed views on shared memory, named. Making a view costs nothing, so every worker
// thread makes its own from the buffers it is handed.
import { type Period, parsePeriodKey } from '../../domain/period.ts';
import type { RankSet } from '../../domain/store.ts';
import { rankColumnName, type SnapshotManifest, summaryColumnName } from './format.ts';
import { type TextColumn, type TextIndex, viewText } from './text-column.ts';

export type SnapshotBuffers = Readonly<Record<string, SharedArrayBuffer>>;

export type Triple<T> = readonly [T, T, T];

export interface Summaries {
  readonly bestRanks: Uint32Array;
  readonly worstRanks: Uint32Array;
  /** In hundredths. */
  readonly avgRanks: Uint32Array;
  readonly totalPeriods: Uint8Array;
  /** Documents whose only rank in the window is in the newest period, ascending. */
  readonly newcomers: Uint32Array;
}

export interface SnapshotView {
  readonly set: RankSet;
  /** Oldest first, as are ranks. */
  readonly periods: readonly Period[];
  readonly periodKeys: readonly string[];
  /** Newest first: the first document behind those whose newest rank is in the period. */
  readonly periodEnds: readonly number[];
  readonly documentCount: number;
  readonly documentSlots: Uint32Array;
  readonly slotDocuments: Uint32Array;
  readonly latestRanks: Uint32Array;
  readonly wordCounts: Uint8Array;
  /** By document of the newest period: its rank in the period before, 0 for none. */
  readonly previousRanks: Uint32Array;
  /** By document of the newest period: its place among them in the order of the terms. */
  readonly termPlaces: Uint32Array;
  /** By document of the newest period that moved: the place of its change in percent; equal ones share it. */
  readonly percentagePlaces: Uint32Array;
  /** Documents that moved, largest rise first, largest fall last; equal ones ascending. */
  readonly changeOrder: Uint32Array;
  /** The same documents, largest move first; equal ones ascending. */
  readonly absChangeOrder: Uint32Array;
  /** Distinct trigrams of the term, MAX_TRIGRAM_COUNT at most. */
  readonly trigramCounts: Uint8Array;
  /** 0, or 1 + the index of the term as imported. */
  readonly originals: Uint32Array;
  readonly products: Triple<Uint32Array>;
  readonly clickShares: Triple<Uint16Array>;
  readonly conversionShares: Triple<Uint16Array>;
  readonly brands: Triple<Uint32Array>;
  readonly categories: Triple<Uint16Array>;
  /** By period, then slot; 0 is no rank. A column may be shorter than the slots. */
  readonly ranks: readonly Uint32Array[];
  /** By number of newest periods; the number of all periods is always there. */
  readonly summaries: ReadonlyMap<number, Summaries>;
  readonly terms: TextColumn;
  readonly termIndex: TextIndex;
  readonly slotWords: Uint32Array;
  readonly slotWordEnds: Uint32Array;
  readonly words: TextColumn;
  readonly wordIndex: TextIndex;
  readonly wordStems: Uint32Array;
  readonly wordForms: Uint8Array;
  readonly wordFirstDocuments: Uint32Array;
  readonly stems: TextColumn;
  readonly stemIndex: TextIndex;
  readonly stemPostingEnds: Uint32Array;
  readonly stemPostings: Uint32Array;
  readonly stemPostingMarks: Uint16Array;
  readonly trigramEnds: Uint32Array;
  readonly trigramWords: Uint32Array;
  readonly asins: TextColumn;
  readonly asinIndex: TextIndex;
  /** Of products, as are ASINs. */
  readonly titles: TextColumn;
  readonly productPostingEnds: Uint32Array;
  readonly productPostings: Uint32Array;
  readonly brandNames: TextColumn;
  readonly brandIndex: TextIndex;
  readonly brandPostingEnds: Uint32Array;
  readonly brandPostings: Uint32Array;
  readonly categoryNames: readonly string[];
  readonly originalTexts: TextColumn;
}

export function viewSnapshot(manifest: SnapshotManifest, buffers: SnapshotBuffers): SnapshotView {
  const bufferOf = (name: string): SharedArrayBuffer => {
    const buffer = buffers[name];
    if (!buffer) throw new Error(`the snapshot lacks the column ${name}`);
    return buffer;
  };
  const u8 = (name: string) => new Uint8Array(bufferOf(name));
  const u16 = (name: string) => new Uint16Array(bufferOf(name));
  const u32 = (name: string) => new Uint32Array(bufferOf(name));
  const text = (name: string) => viewText(u8(`${name}-text`), u32(`${name}-ends`));
  const triple = <T>(column: (name: string) => T, name: string): Triple<T> => [
    column(`${name}-1`),
    column(`${name}-2`),
    column(`${name}-3`),
  ];
  const periodKeys = manifest.periods.map(({ key }) => key);
  return {
    set: { marketplace: manifest.marketplace, frequency: manifest.frequency, source: manifest.source },
    periods: periodKeys.map((key) => periodOf(key, manifest)),
    periodKeys,
    periodEnds: periodEndsOf(manifest),
    documentCount: manifest.documentCount,
    documentSlots: u32('document-slot'),
    slotDocuments: u32('slot-document'),
    latestRanks: u32('latest-rank'),
    wordCounts: u8('word-count'),
    previousRanks: u32('previous-rank'),
    termPlaces: u32('term-place'),
    percentagePlaces: u32('percentage-place'),
    changeOrder: u32('change-order'),
    absChangeOrder: u32('abs-change-order'),
    trigramCounts: u8('trigram-count'),
    originals: u32('original'),
    products: triple(u32, 'product'),
    clickShares: triple(u16, 'click-share'),
    conversionShares: triple(u16, 'conversion-share'),
    brands: triple(u32, 'brand'),
    categories: triple(u16, 'category'),
    ranks: periodKeys.map((key) => u32(rankColumnName(key))),
    summaries: viewSummaries(manifest, { u8, u32 }),
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
    titles: text('title'),
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

function viewSummaries(
  { windows, periods }: SnapshotManifest,
  { u8, u32 }: { readonly u8: (name: string) => Uint8Array; readonly u32: (name: string) => Uint32Array },
): SnapshotView['summaries'] {
  const summariesOf = (window: number | 'all'): Summaries => ({
    bestRanks: u32(summaryColumnName('best-rank', window)),
    worstRanks: u32(summaryColumnName('worst-rank', window)),
    avgRanks: u32(summaryColumnName('avg-rank', window)),
    totalPeriods: u8(summaryColumnName('total-periods', window)),
    newcomers: u32(summaryColumnName('newcomer', window)),
  });
  return new Map([
    ...windows.map((window) => [window, summariesOf(window)] as const),
    [periods.length, summariesOf('all')] as const,
  ]);
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
