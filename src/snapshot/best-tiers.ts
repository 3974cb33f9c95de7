// The first places of best_match. Within a tier documents stand in their own order, so once enough of a list's front begin
// with the query, of the others only those that equal it can still be before them; and the marks of one word tell which may.
import { MATCH_TIERS } from '../domain/ranking.ts';
import { type DocumentList, intersect } from './document-list.ts';
import { MARK_FORM_SHIFT, MARK_IS_LAST, MARK_POSITION_MAX } from './format.ts';
import { listTiers, marksOf, planTiers, type TierPlan, tierOf } from './match-tiers.ts';
import { takeBytes, takeList } from './scratch-room.ts';
import type { SnapshotView } from './snapshot-view.ts';
import type { ParsedQuery } from './vocabulary.ts';

/** Documents looked at first, for each place that is asked for; then twice as many each time. */
const FIRST_PIECE_PER_PLACE = 4;

export interface TieredDocuments {
  readonly documents: DocumentList;
  readonly codes: Uint8Array;
}

/** Some of the documents, ascending, among them all that stand at the first `places` places. */
export function keepBestTiers(
  view: SnapshotView,
  {
    query,
    documents,
    places,
  }: { readonly query: ParsedQuery; readonly documents: DocumentList; readonly places: number },
): TieredDocuments {
  const plan = planTiers(view, query);
  if (plan.kind === 'one') {
    const first = documents.subarray(0, places);
    return { documents: first, codes: listTiers(view, plan, first) };
  }
  if (plan.kind === 'terms') return { documents, codes: listTiers(view, plan, documents) };
  const front = takeFront(view, { plan, documents, places });
  const rest = documents.subarray(front.documents.length);
  return rest.length === 0 ? front : append(front, listEqual(view, plan, rest));
}

type MarkedPlan = Extract<TierPlan, { kind: 'marks' }>;

/** So much of the list's front that enough of it begin with the query; or all of it. */
function takeFront(
  view: SnapshotView,
  { plan, documents, places }: { readonly plan: MarkedPlan; readonly documents: DocumentList; readonly places: number },
): TieredDocuments {
  const codes = takeBytes(documents.length);
  let end = 0;
  for (let found = 0, size = places * FIRST_PIECE_PER_PLACE; found < places && end < documents.length; size *= 2) {
    const piece = documents.subarray(end, end + size);
    const tiers = listTiers(view, plan, piece);
    codes.set(tiers, end);
    for (let i = 0; i < tiers.length; i += 1) found += Number((tiers[i] ?? 0) >= MATCH_TIERS.start);
    end += piece.length;
  }
  return { documents: documents.subarray(0, end), codes: codes.subarray(0, end) };
}

/** Those that are the query, word for word. */
function listEqual(view: SnapshotView, plan: MarkedPlan, documents: DocumentList): DocumentList {
  return intersect(documents, listPlaced(view, plan)).filter(
    (document) => tierOf(view, document, plan.spellings) === MATCH_TIERS.equal,
  );
}

/** The documents in which the rarest word of the query stands as it does there, told by its mark. */
function listPlaced(view: SnapshotView, { words, spellings }: MarkedPlan): DocumentList {
  const lengths = words.map(({ documents }) => documents.length);
  const position = lengths.indexOf(Math.min(...lengths));
  const word = words[position];
  if (!word) return new Uint32Array(0);
  const form = view.wordForms[spellings[position] ?? 0] ?? 0;
  const isLast = position === words.length - 1;
  const wanted = (form << MARK_FORM_SHIFT) | (isLast ? MARK_IS_LAST : 0) | Math.min(position, MARK_POSITION_MAX);
  const marks = marksOf(view, word);
  const placed = takeList(marks.length);
  let count = 0;
  for (let i = 0; i < marks.length; i += 1) {
    if (marks[i] !== wanted) continue;
    placed[count] = word.documents[i] ?? 0;
    count += 1;
  }
  return placed.subarray(0, count);
}

function append(front: TieredDocuments, equal: DocumentList): TieredDocuments {
  const length = front.documents.length + equal.length;
  const documents = takeList(length);
  const codes = takeBytes(length);
  documents.set(front.documents);
  documents.set(equal, front.documents.length);
  codes.set(front.codes);
  codes.fill(MATCH_TIERS.equal, front.codes.length);
  return { documents, codes };
}
