// The documents that a plan matches, ascending, with their relevance codes where the order asks for them.
import type { Match, SearchPlan } from '../../domain/search-plan.ts';
import { NONE_32 } from '../format/format.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { findEntry } from '../format/text-column.ts';
import { takeHalves, takeList } from './arena.ts';
import { applyFilter, listProductDocuments, type PreparedFilter, prepareFilter } from './document-filter.ts';
import { countBelow, type DocumentList, intersect, keepMarked, subtract, unite } from './document-list.ts';
import type { PlanWindow } from './plan-window.ts';
import { type ParsedQuery, parseQuery, type QueryWord } from './vocabulary.ts';
import { findWordBits } from './word-bits.ts';

export interface Matches {
  readonly totalCount: number;
  readonly documents: DocumentList;
  /** Higher is better, of two bytes for the tiers of best_match; undefined when the order does not depend on the query. */
  readonly codes: Uint32Array | Uint16Array | undefined;
  /** Those of the slice in their order, where finding them took no look at the others. */
  readonly page?: readonly number[];
}

export interface SearchContext {
  readonly view: SnapshotView;
  readonly plan: SearchPlan;
  readonly window: PlanWindow;
  readonly throwIfCancelled: () => void;
}

/** How an order values the matches of each query. */
export type OpenRelevance = (
  queries: readonly ParsedQuery[],
) => (options: {
  readonly query: ParsedQuery;
  readonly index: number;
  readonly documents: DocumentList;
}) => Partial<Pick<Matches, 'codes' | 'page'>>;

export function findMatches(context: SearchContext, openRelevance?: OpenRelevance): Matches {
  const { match } = context.plan;
  if (match.kind === 'exact') return matchExact(context, match);
  if (match.kind === 'asins') return matchAsins(context, match);
  return matchSimilar(context, match, openRelevance);
}

function matchExact(context: SearchContext, { terms }: Extract<Match, { kind: 'exact' }>): Matches {
  const codeByDocument = new Map<number, number>();
  for (const [i, term] of terms.entries()) {
    const document = findTerm(context.view, term);
    if (document !== undefined) codeByDocument.set(document, terms.length - i);
  }
  const documents = narrow(context, Uint32Array.from(codeByDocument.keys()).sort());
  const codes = Uint32Array.from(documents, (document) => codeByDocument.get(document) ?? 0);
  return { totalCount: documents.length, documents, codes };
}

function matchAsins(context: SearchContext, { asins }: Extract<Match, { kind: 'asins' }>): Matches {
  const documents = narrow(context, listProductDocuments(context.view, asins));
  return { totalCount: documents.length, documents, codes: undefined };
}

function narrow(context: SearchContext, found: DocumentList): DocumentList {
  const filter = prepareFilter(context.view, context.plan.filters);
  return filterDocuments(context, [found, ...filter.lists].reduce(intersect), filter);
}

function matchSimilar(
  context: SearchContext,
  match: Extract<Match, { kind: 'similar' }>,
  openRelevance: OpenRelevance | undefined,
): Matches {
  const { view, plan, window, throwIfCancelled } = context;
  const { visibleCount } = window;
  const queries = match.queries.map((query) =>
    parseQuery(view, { query, visibleCount, allowsTypos: true, throwIfCancelled }),
  );
  const excluded = match.excluded.map((query) => {
    throwIfCancelled();
    return matchQuery(view, parseQuery(view, { query, visibleCount, allowsTypos: false }), []);
  });
  const filter = prepareFilter(view, plan.filters);
  const relevance = openRelevance?.(queries);
  const matches = queries.map((query, i): Matches => {
    throwIfCancelled();
    let documents = filterDocuments(context, matchQuery(view, query, filter.lists), filter);
    for (const removed of excluded) {
      if (removed.length === 0) continue;
      throwIfCancelled();
      documents = subtract(documents, removed);
    }
    const valued = relevance?.({ query, index: i, documents });
    return { totalCount: documents.length, documents, codes: undefined, ...valued };
  });
  throwIfCancelled();
  return mergeMatches(matches);
}

/** Visible documents that have every word and are in every list. A query without words, such as an emoji, is the term that equals it. */
function matchQuery(view: SnapshotView, { text, words }: ParsedQuery, lists: readonly DocumentList[]): DocumentList {
  const wanted: Pick<QueryWord, 'documents' | 'postingStart'>[] = lists.map((documents) => {
    return { documents, postingStart: undefined };
  });
  if (words.length === 0) wanted.push({ documents: listTerm(view, text), postingStart: undefined });
  wanted.push(...words);
  const [first, ...rest] = wanted.sort((a, b) => a.documents.length - b.documents.length);
  let matched = first?.documents ?? new Uint32Array(0);
  for (const each of rest) {
    const word = findWordBits(view, each, matched);
    matched = word ? keepMarked(matched, word.bits) : intersect(matched, each.documents);
  }
  return matched;
}

function listTerm(view: SnapshotView, term: string): DocumentList {
  const document = findTerm(view, term);
  return document === undefined ? new Uint32Array(0) : Uint32Array.of(document);
}

function filterDocuments(context: SearchContext, documents: DocumentList, filter: PreparedFilter): DocumentList {
  const { plan, window } = context;
  const limit = plan.filters.excludeNulls ? window.newestCount : window.visibleCount;
  return applyFilter(context, documents.subarray(0, countBelow(documents, limit)), filter);
}

/** The document of a normalised term, visible or not. */
export function findTerm(view: SnapshotView, term: string): number | undefined {
  const slot = findEntry(view.termIndex, view.terms, term);
  const document = slot === undefined ? NONE_32 : (view.slotDocuments[slot] ?? NONE_32);
  return document === NONE_32 ? undefined : document;
}

/** Documents of any match; one that several queries match takes its best code. */
function mergeMatches(matches: readonly Matches[]): Matches {
  const [first, ...rest] = matches;
  if (!first) return { totalCount: 0, documents: new Uint32Array(0), codes: undefined };
  if (rest.length === 0) return first;
  const middle = matches.length >>> 1;
  return mergePair(mergeMatches(matches.slice(0, middle)), mergeMatches(matches.slice(middle)));
}

function mergePair(a: Matches, b: Matches): Matches {
  if (!a.codes || !b.codes) {
    const united = unite([a.documents, b.documents]);
    return { totalCount: united.length, documents: united, codes: undefined };
  }
  const documents = takeList(a.documents.length + b.documents.length);
  const codes = a.codes instanceof Uint16Array ? takeHalves(documents.length) : takeList(documents.length);
  let i = 0;
  let j = 0;
  let count = 0;
  while (i < a.documents.length && j < b.documents.length) {
    const left = a.documents[i] ?? 0;
    const right = b.documents[j] ?? 0;
    const leftCode = left <= right ? (a.codes[i] ?? 0) : 0;
    const rightCode = right <= left ? (b.codes[j] ?? 0) : 0;
    documents[count] = left < right ? left : right;
    codes[count] = leftCode > rightCode ? leftCode : rightCode;
    count += 1;
    i += Number(left <= right);
    j += Number(right <= left);
  }
  // One of the two has ended.
  for (const { documents: rest, codes: restCodes } of [
    { documents: a.documents.subarray(i), codes: a.codes.subarray(i) },
    { documents: b.documents.subarray(j), codes: b.codes.subarray(j) },
  ]) {
    documents.set(rest, count);
    codes.set(restCodes, count);
    count += rest.length;
  }
  return { totalCount: count, documents: documents.subarray(0, count), codes: codes.subarray(0, count) };
}
