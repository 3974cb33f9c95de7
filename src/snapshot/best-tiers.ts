// The first places of best_match, without a look at every match. Within a tier documents stand in their own order: once enough
// of the front of a list begin with the query, only those that equal it can still come before them. Where few begin with it
// but many have it as a phrase, those few are found by the marks of one word.
import { MATCH_TIERS } from '../domain/ranking.ts';
import { type DocumentList, intersect } from './document-list.ts';
import { listTiers, type MarkedPlan, planTiers } from './match-tiers.ts';
import { listPossiblyEqual, listPossiblyStarting } from './placed-words.ts';
import { takeBytes, takeList } from './scratch-room.ts';
import type { SnapshotView } from './snapshot-view.ts';
import type { ParsedQuery } from './vocabulary.ts';

/** Documents looked at first, for each place that is asked for; then twice as many each time. */
const FIRST_LOOK_PER_PLACE = 4;
/** Where so many were looked at in vain, few begin with the query. */
const LOOKED_AT_PER_PLACE = 16;
/** A look at so many costs next to nothing; beyond it, half as many again as there are places will do. */
const CHEAP_LOOK = 4096;
const MIN_LOOK_PER_PLACE = 1.5;

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
  return keepMarkedTiers(view, plan, { documents, places });
}

function keepMarkedTiers(
  view: SnapshotView,
  plan: MarkedPlan,
  { documents, places }: { readonly documents: DocumentList; readonly places: number },
): TieredDocuments {
  const front = readFront(view, plan, { documents, places });
  const rest = documents.subarray(front.documents.length);
  const isEnough = countFrom(MATCH_TIERS.start, front) >= places;
  // Where there are hardly any phrases either, every match has to be looked at.
  if (!isEnough && countFrom(MATCH_TIERS.phrase, front) < places) {
    return join(front, { documents: rest, codes: listTiers(view, plan, rest, documents) });
  }
  const possible = intersect(rest, isEnough ? listPossiblyEqual(view, plan) : listPossiblyStarting(view, plan));
  const tiers = listTiers(view, plan, possible);
  return join(front, keepFrom(isEnough ? MATCH_TIERS.equal : MATCH_TIERS.start, { documents: possible, codes: tiers }));
}

/** The first documents with their tiers, until enough begin with the query or so many were looked at in vain. */
function readFront(
  view: SnapshotView,
  plan: MarkedPlan,
  { documents, places }: { readonly documents: DocumentList; readonly places: number },
): TieredDocuments {
  const affordable = Math.min(CHEAP_LOOK, places * LOOKED_AT_PER_PLACE);
  const most = Math.min(documents.length, Math.max(affordable, Math.ceil(places * MIN_LOOK_PER_PLACE)));
  for (let length = places * FIRST_LOOK_PER_PLACE; ; length *= 2) {
    const looked = documents.subarray(0, Math.min(length, most));
    const front = { documents: looked, codes: listTiers(view, plan, looked, documents) };
    if (looked.length === most || countFrom(MATCH_TIERS.start, front) >= places) return front;
  }
}

function countFrom(tier: number, { codes }: TieredDocuments): number {
  let count = 0;
  for (let i = 0; i < codes.length; i += 1) count += Number((codes[i] ?? 0) >= tier);
  return count;
}

/** One behind the other. */
function join(front: TieredDocuments, others: TieredDocuments): TieredDocuments {
  if (others.documents.length === 0) return front;
  const length = front.documents.length + others.documents.length;
  const [documents, codes] = [takeList(length), takeBytes(length)];
  documents.set(front.documents);
  documents.set(others.documents, front.documents.length);
  codes.set(front.codes);
  codes.set(others.codes, front.codes.length);
  return { documents, codes };
}

/** Those of the tier and of better ones. */
function keepFrom(tier: number, { documents, codes }: TieredDocuments): TieredDocuments {
  const kept = { documents: takeList(documents.length), codes: takeBytes(documents.length) };
  let count = 0;
  for (let i = 0; i < documents.length; i += 1) {
    if ((codes[i] ?? 0) < tier) continue;
    kept.documents[count] = documents[i] ?? 0;
    kept.codes[count] = codes[i] ?? 0;
    count += 1;
  }
  return { documents: kept.documents.subarray(0, count), codes: kept.codes.subarray(0, count) };
}
