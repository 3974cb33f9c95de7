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
/** A look at so many costs next to nothing. */
const CHEAP_LOOK = 4096;
/** How much farther to look than seems to be needed. */
const REACH_MARGIN = 1.05;

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
  const isEnough = front.startingCount >= places;
  // Where there are hardly any phrases either, every match has to be looked at.
  if (!isEnough && front.phraseCount < places) {
    return join(front, { documents: rest, codes: listTiers(view, plan, rest, documents) });
  }
  const possible = intersect(rest, isEnough ? listPossiblyEqual(view, plan) : listPossiblyStarting(view, plan));
  const tiers = listTiers(view, plan, possible);
  return join(front, keepFrom(isEnough ? MATCH_TIERS.equal : MATCH_TIERS.start, { documents: possible, codes: tiers }));
}

interface Front extends TieredDocuments {
  /** Those that begin with the query, and those that have it as a phrase, there or elsewhere. */
  readonly startingCount: number;
  readonly phraseCount: number;
}

/** The first documents with their tiers, until enough begin with the query or so many were looked at in vain. */
function readFront(
  view: SnapshotView,
  plan: MarkedPlan,
  { documents, places }: { readonly documents: DocumentList; readonly places: number },
): Front {
  const look = (length: number): Front => lookAt(view, plan, { documents, length });
  const most = Math.min(places * LOOKED_AT_PER_PLACE, CHEAP_LOOK);
  let front = look(Math.min(places * FIRST_LOOK_PER_PLACE, CHEAP_LOOK));
  while (front.startingCount < places && front.documents.length < Math.min(most, documents.length)) {
    front = look(Math.min(front.documents.length * 2, most));
  }
  const { startingCount, phraseCount } = front;
  const length = front.documents.length;
  if (Math.max(startingCount, phraseCount) >= places || phraseCount === 0) return front;
  // A deep page: as far as it should reach if the others are like these, preferably by those that begin with the query.
  const reach = (count: number): number => Math.ceil((places / count) * length * REACH_MARGIN);
  return look(
    reach(startingCount) <= documents.length && startingCount > 0 ? reach(startingCount) : reach(phraseCount),
  );
}

function lookAt(
  view: SnapshotView,
  plan: MarkedPlan,
  { documents, length }: { readonly documents: DocumentList; readonly length: number },
): Front {
  const looked = documents.subarray(0, length);
  const codes = listTiers(view, plan, looked, documents);
  let startingCount = 0;
  let phraseCount = 0;
  for (let i = 0; i < codes.length; i += 1) {
    startingCount += Number((codes[i] ?? 0) >= MATCH_TIERS.start);
    phraseCount += Number((codes[i] ?? 0) >= MATCH_TIERS.phrase);
  }
  return { documents: looked, codes, startingCount, phraseCount };
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
