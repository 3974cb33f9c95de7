// A page of best_match, without a look at every match. Within a tier documents stand in their own order: once enough of the
// front of a list begin with the query, only those that equal it can still come before them. Where few begin with it but many
// have it as a phrase, those few are found by the marks of one word.
import { MATCH_TIERS } from '../../domain/ranking.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { type DocumentList, intersect } from './document-list.ts';
import { planTiers, readTiers } from './match-tiers.ts';
import { listPossiblyEqual, listPossiblyStarting } from './placed-words.ts';
import type { Slice } from './selection.ts';
import { selectTiers, TierBlocks } from './tier-blocks.ts';
import type { ParsedQuery } from './vocabulary.ts';

/** Documents looked at first, for each place that is asked for; then twice as many each time. */
const FIRST_LOOK_PER_PLACE = 4;
/** Where so many were looked at in vain, few begin with the query. */
const LOOKED_AT_PER_PLACE = 16;
/** A look at so many costs next to nothing. */
const CHEAP_LOOK = 4096;
/** How much farther to look than seems to be needed. */
const REACH_MARGIN = 1.05;

/** Of the documents, which match the query, those at the places of a slice, the best first. */
export function selectBest(
  view: SnapshotView,
  { query, documents, slice }: { readonly query: ParsedQuery; readonly documents: DocumentList; readonly slice: Slice },
): readonly number[] {
  const plan = planTiers(view, query);
  if (plan.kind === 'one') return Array.from(documents.subarray(slice.from, slice.to));
  const front = new TierBlocks(readTiers(view, plan, documents));
  const order = { ...slice, direction: 'desc' as const };
  if (plan.kind === 'terms') return selectTiers([front.lookAtAll()], order);
  lookAtFront(front, { count: documents.length, places: slice.to });
  const isEnough = startingCount(front) >= slice.to;
  // Where there are hardly any phrases either, every match has to be looked at.
  if (!isEnough && phraseCount(front) < slice.to) return selectTiers([front.lookAtAll()], order);
  const rest = documents.subarray(front.length);
  const possible = intersect(rest, isEnough ? listPossiblyEqual(view, plan) : listPossiblyStarting(view, plan));
  return selectTiers([front, new TierBlocks(readTiers(view, plan, possible)).lookAtAll()], order);
}

/** Until enough begin with the query, or so many were looked at in vain. */
function lookAtFront(front: TierBlocks, { count, places }: { readonly count: number; readonly places: number }): void {
  const most = Math.min(places * LOOKED_AT_PER_PLACE, CHEAP_LOOK);
  front.lookAt(Math.min(places * FIRST_LOOK_PER_PLACE, CHEAP_LOOK));
  while (startingCount(front) < places && front.length < Math.min(most, count)) {
    front.lookAt(Math.min(front.length * 2, most));
  }
  const [starting, phrases] = [startingCount(front), phraseCount(front)];
  if (Math.max(starting, phrases) >= places || phrases === 0) return;
  // A deep page: as far as it should reach if the others are like these, preferably by those that begin with the query.
  const reach = (found: number): number => Math.ceil((places / found) * front.length * REACH_MARGIN);
  front.lookAt(starting > 0 && reach(starting) <= count ? reach(starting) : reach(phrases));
}

function startingCount(front: TierBlocks): number {
  return front.countOf(MATCH_TIERS.equal) + front.countOf(MATCH_TIERS.start);
}

/** Those that have the query as a phrase, at their beginning or elsewhere. */
function phraseCount(front: TierBlocks): number {
  return startingCount(front) + front.countOf(MATCH_TIERS.phrase);
}
