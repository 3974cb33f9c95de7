// The roots of all matches of a search (domain/root.ts). Synchronous and without side effects; worker threads call it.
import type { RootPlan } from '../../domain/root.ts';
import type { RootRow, TrendPage } from '../../domain/store.ts';
import { NONE_32 } from '../format/format.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { compareTexts, readText } from '../format/text-column.ts';
import { releaseLists } from './arena.ts';
import type { DocumentList } from './document-list.ts';
import { findMatches } from './matches.ts';
import { findWindow, type PlanWindow } from './plan-window.ts';
import {
  ALL_HASHES,
  ROOT_BEST_RANK,
  ROOT_FALLING,
  ROOT_FIRST,
  ROOT_RISING,
  ROOT_SECOND,
  ROOT_TERMS,
  ROOT_WIDTH,
  RootTable,
} from './root-table.ts';
import { HIGHEST_KEY, type Slice, selectPositions } from './selection.ts';

interface RootOptions {
  readonly throwIfCancelled: () => void;
  /** Cells of the table; fewer cost more passes. */
  readonly maxCells?: number;
}

interface CountedRoots {
  readonly totalCount: number;
  /** Those that can be on the page, ROOT_WIDTH numbers each. */
  readonly roots: Uint32Array;
}

const CANCEL_CHECK_DOCUMENTS = 4096;

const KEY_COLUMNS = {
  terms: ROOT_TERMS,
  best_rank: ROOT_BEST_RANK,
  rising: ROOT_RISING,
  falling: ROOT_FALLING,
} as const;

export function listRoots(view: SnapshotView, plan: RootPlan, options: RootOptions): TrendPage<RootRow> {
  releaseLists();
  const { search } = plan;
  const window = findWindow(view, search);
  if (!window) return { totalCount: 0, rows: [] };
  const { throwIfCancelled } = options;
  const { documents } = findMatches({ view, plan: search, window, throwIfCancelled });
  const { totalCount, roots } = countRoots(view, { plan, window, documents }, options);
  const slice = { from: search.offset, to: search.offset + search.limit };
  const positions = selectRoots(view, { plan, roots, slice }, throwIfCancelled);
  return { totalCount, rows: positions.map((position) => readRoot(view, roots, position * ROOT_WIDTH)) };
}

interface Counting {
  readonly plan: RootPlan;
  readonly window: PlanWindow;
  readonly documents: DocumentList;
}

/** Pass by pass; of those before, only what can still be on the page is remembered. */
function countRoots(view: SnapshotView, counting: Counting, options: RootOptions): CountedRoots {
  const { plan } = counting;
  const most = plan.search.offset + plan.search.limit;
  const passes = [ALL_HASHES];
  let totalCount = 0;
  let roots = new Uint32Array(0);
  for (let range = passes.pop(); range; range = passes.pop()) {
    const table = new RootTable(range, options.maxCells);
    countTerms(view, { ...counting, table }, options);
    passes.push(...table.left);
    totalCount += table.count;
    const grown = new Uint32Array(roots.length + table.count * ROOT_WIDTH);
    grown.set(roots);
    table.copyTo(grown, roots.length / ROOT_WIDTH);
    roots = grown;
    if (passes.length === 0 || roots.length <= most * ROOT_WIDTH) continue;
    const kept = selectRoots(view, { plan, roots, slice: { from: 0, to: most } }, options.throwIfCancelled);
    roots = new Uint32Array(kept.length * ROOT_WIDTH);
    for (const [i, position] of kept.entries()) {
      roots.set(grown.subarray(position * ROOT_WIDTH, (position + 1) * ROOT_WIDTH), i * ROOT_WIDTH);
    }
  }
  return { totalCount, roots };
}

function countTerms(
  view: SnapshotView,
  { plan, window, documents, table }: Counting & { readonly table: RootTable },
  { throwIfCancelled }: RootOptions,
): void {
  const { documentSlots, slotWords, slotWordEnds, latestRanks, previousRanks } = view;
  const { bestRanks } = window.summaries;
  const [hasWords, hasPhrases] = [plan.kind !== 'phrase', plan.kind !== 'word'];
  // A window of one period hides the one before.
  const comparedCount = plan.search.window.length > 1 ? window.newestCount : 0;
  const term = { document: 0, bestRank: 0, rising: 0, falling: 0 };
  for (let i = 0; i < documents.length; i += 1) {
    if (i % CANCEL_CHECK_DOCUMENTS === 0) throwIfCancelled();
    const document = documents[i] ?? 0;
    const previous = document < comparedCount ? (previousRanks[document] ?? 0) : 0;
    const latest = latestRanks[document] ?? 0;
    term.document = document;
    term.bestRank = bestRanks[document] ?? 0;
    term.rising = Number(latest < previous);
    term.falling = Number(previous > 0 && latest > previous);
    const slot = documentSlots[document] ?? 0;
    const end = slotWordEnds[slot] ?? 0;
    for (let at = slot === 0 ? 0 : (slotWordEnds[slot - 1] ?? 0); at < end; at += 1) {
      const word = slotWords[at] ?? 0;
      if (hasWords) table.add(word, NONE_32, term);
      if (hasPhrases && at + 1 < end) table.add(word, slotWords[at + 1] ?? 0, term);
    }
  }
}

function selectRoots(
  view: SnapshotView,
  { plan, roots, slice }: { readonly plan: RootPlan; readonly roots: Uint32Array; readonly slice: Slice },
  throwIfCancelled: () => void,
): readonly number[] {
  const { field, direction } = plan.order;
  const column = KEY_COLUMNS[field];
  const keys = new Uint32Array(roots.length / ROOT_WIDTH);
  for (let i = 0; i < keys.length; i += 1) {
    const value = roots[i * ROOT_WIDTH + column] ?? 0;
    keys[i] = direction === 'asc' ? value : HIGHEST_KEY - value;
  }
  const ties = {
    levels: [(position: number) => roots[position * ROOT_WIDTH + ROOT_BEST_RANK] ?? 0],
    compare: (a: number, b: number) => compareRoots(view, roots, [a * ROOT_WIDTH, b * ROOT_WIDTH]),
  };
  return selectPositions({ keys, ties }, slice, throwIfCancelled);
}

/** By the text, word by word: a space is below all that words are made of. */
function compareRoots(view: SnapshotView, roots: Uint32Array, [a, b]: readonly [number, number]): number {
  const byFirst = compareTexts(view.words, [roots[a + ROOT_FIRST] ?? 0, roots[b + ROOT_FIRST] ?? 0]);
  if (byFirst !== 0) return byFirst;
  const [secondA, secondB] = [roots[a + ROOT_SECOND] ?? 0, roots[b + ROOT_SECOND] ?? 0];
  if (secondA === NONE_32 || secondB === NONE_32) return Number(secondB === NONE_32) - Number(secondA === NONE_32);
  return compareTexts(view.words, [secondA, secondB]);
}

function readRoot(view: SnapshotView, roots: Uint32Array, at: number): RootRow {
  const second = roots[at + ROOT_SECOND] ?? NONE_32;
  const word = readText(view.words, roots[at + ROOT_FIRST] ?? 0);
  return {
    root: second === NONE_32 ? word : `${word} ${readText(view.words, second)}`,
    kind: second === NONE_32 ? 'word' : 'phrase',
    terms: roots[at + ROOT_TERMS] ?? 0,
    bestRank: roots[at + ROOT_BEST_RANK] ?? 0,
    rising: roots[at + ROOT_RISING] ?? 0,
    falling: roots[at + ROOT_FALLING] ?? 0,
  };
}
