// The documents in which a word of a query stands where it stands there, told by the marks beside its postings: all that can
// equal the query, or begin with it, and some others. Lists that take long to make are kept for as long as the snapshot is.

import {
  MARK_FORM_MIXED,
  MARK_FORM_SHIFT,
  MARK_IS_LAST,
  MARK_IS_REPEATED,
  MARK_POSITION_MAX,
} from '../format/format.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { takeList } from './arena.ts';
import type { DocumentList } from './document-list.ts';
import { LruCache } from './lru-cache.ts';
import { type MarkedPlan, marksOf } from './match-tiers.ts';

/** Of words that fewer documents have, the list is made soon enough. */
const KEPT_FROM = 2 ** 13;
const MAX_KEPT_LENGTH = 2 ** 15;
/** Per thread and snapshot: 8 MB at most. */
const MAX_KEPT_LISTS = 64;

const ALL_BITS = 0xffff;
const FIRST_MIXED = MARK_FORM_MIXED << MARK_FORM_SHIFT;

/** Marks that tell of the place in question: those that are wanted in the bits that count, and all from a certain one on. */
interface WantedMarks {
  readonly wanted: number;
  readonly bits: number;
  readonly from: number;
}

const keptLists = new WeakMap<SnapshotView, LruCache<string, DocumentList>>();

/** No stem of such a term is repeated, so that its marks are as clear as can be. */
export function listPossiblyEqual(view: SnapshotView, plan: MarkedPlan): DocumentList {
  return listPlaced(view, plan, ({ form, position, isLast }) => ({
    wanted: (form << MARK_FORM_SHIFT) | (isLast ? MARK_IS_LAST : 0) | position,
    bits: ALL_BITS,
    from: ALL_BITS + 1,
  }));
}

export function listPossiblyStarting(view: SnapshotView, plan: MarkedPlan): DocumentList {
  return listPlaced(view, plan, ({ form, position }) => ({
    wanted: (form << MARK_FORM_SHIFT) | position,
    bits: ALL_BITS ^ (MARK_IS_LAST | MARK_IS_REPEATED),
    from: FIRST_MIXED,
  }));
}

interface QueryPlace {
  readonly form: number;
  readonly position: number;
  readonly isLast: boolean;
}

function listPlaced(
  view: SnapshotView,
  { words, spellings }: MarkedPlan,
  marksAt: (place: QueryPlace) => WantedMarks,
): DocumentList {
  const lengths = words.map(({ documents }) => documents.length);
  const n = lengths.indexOf(Math.min(...lengths));
  const rarest = words[n];
  if (!rarest) return new Uint32Array(0);
  const form = view.wordForms[spellings[n] ?? 0] ?? 0;
  const wanted = marksAt({ form, position: Math.min(n, MARK_POSITION_MAX), isLast: n === words.length - 1 });
  const { documents } = rarest;
  if (documents.length < KEPT_FROM) return listMarked(documents, marksOf(view, rarest), wanted);
  const lists = keptLists.get(view) ?? new LruCache<string, DocumentList>(MAX_KEPT_LISTS);
  keptLists.set(view, lists);
  const key = [rarest.postingStart, documents.length, wanted.wanted, wanted.bits].join(' ');
  const kept = lists.get(key);
  if (kept) return kept;
  const made = listMarked(documents, marksOf(view, rarest), wanted);
  if (made.length <= MAX_KEPT_LENGTH) lists.set(key, made.slice());
  return made;
}

function listMarked(documents: DocumentList, marks: Uint16Array, { wanted, bits, from }: WantedMarks): DocumentList {
  const listed = takeList(documents.length);
  let count = 0;
  for (let i = 0; i < marks.length; i += 1) {
    const mark = marks[i] ?? 0;
    if ((mark & bits) !== wanted && mark < from) continue;
    listed[count] = documents[i] ?? 0;
    count += 1;
  }
  return listed.subarray(0, count);
}
