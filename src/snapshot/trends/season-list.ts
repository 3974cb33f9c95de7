// The list of seasonal terms: what the filters leave of the window's seasons, and the page of it in the wanted order.
import type { SeasonOrder, SeasonPlan } from '../../domain/season.ts';
import type { SeasonRow, TrendPage } from '../../domain/store.ts';
import type { Seasons } from '../format/season-columns.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { takeRoom } from '../query/arena.ts';
import { keepMarkedCategories, markCategories } from '../query/category-filter.ts';
import { countBelow, findPositions, intersect } from '../query/document-list.ts';
import { findWindow } from '../query/plan-window.ts';
import { readSearchTerm } from '../query/search-rows.ts';
import { HIGHEST_KEY, selectPositions } from '../query/selection.ts';
import { type Candidates, CHUNK, findRankedCandidates, readChunk, type TrendOptions } from './trend-candidates.ts';

export function listSeasonal(view: SnapshotView, plan: SeasonPlan, options: TrendOptions): TrendPage<SeasonRow> {
  if (!findWindow(view, plan)) return { totalCount: 0, rows: [] };
  const seasons = view.seasons.get(plan.window.length);
  if (!seasons) throw new Error(`the seasons of ${plan.window.length} periods are not attached`);
  const places = findPlaces(view, { plan, seasons }, options);
  const keys = takeKeys(view, { plan, seasons, places });
  const slice = { from: plan.offset, to: plan.offset + plan.limit };
  const selected = selectPositions({ keys, ties: undefined }, slice, options.throwIfCancelled);
  const rows = selected.map((position): SeasonRow => {
    const place = places[position] ?? 0;
    const document = seasons.documents[place] ?? 0;
    return {
      searchTerm: readSearchTerm(view, document),
      currentRank: view.latestRanks[document] ?? 0,
      peakMonth: seasons.peakMonths[place] ?? 0,
      fullYears: seasons.fullYears[place] ?? 0,
      strength: (seasons.strengths[place] ?? 0) / 100,
    };
  });
  return { totalCount: places.length, rows };
}

interface Asked {
  readonly plan: SeasonPlan;
  readonly seasons: Seasons;
}

/** Places in the list of seasons, ascending. */
function findPlaces(view: SnapshotView, { plan, seasons }: Asked, options: TrendOptions): Uint32Array {
  const { documents, peakMonths } = seasons;
  const listed = listRankedPlaces(seasons, findRankedCandidates(view, plan, options));
  const { categories } = plan.filters;
  const marks = categories.length === 0 ? undefined : markCategories(view, categories);
  const kept = { documents: takeRoom('candidates', listed.to - listed.from), count: 0 };
  const [places, owners] = [new Uint32Array(CHUNK), new Uint32Array(CHUNK)];
  for (let start = listed.from; start < listed.to; start += CHUNK) {
    options.throwIfCancelled();
    let count = 0;
    for (const place of readChunk(listed, { start, end: Math.min(listed.to, start + CHUNK) })) {
      places[count] = place;
      owners[count] = documents[place] ?? 0;
      count += Number(plan.isWanted[(peakMonths[place] ?? 1) - 1] ?? false);
    }
    const wanted = places.subarray(0, count);
    if (marks) keepMarkedCategories(kept, wanted, { view, marks, owners });
    else {
      kept.documents.set(wanted, kept.count);
      kept.count += count;
    }
  }
  return kept.documents.subarray(0, kept.count);
}

/** The places of candidates that are seasonal. */
function listRankedPlaces({ documents }: Seasons, candidates: Candidates): Candidates {
  const { from, to } = candidates;
  if (!candidates.documents) {
    return { documents: undefined, from: countBelow(documents, from), to: countBelow(documents, to) };
  }
  const places = findPositions(documents, intersect(candidates.documents.subarray(from, to), documents));
  return { documents: places, from: 0, to: places.length };
}

/** Beside the places: ascending in the wanted order. Equal keys leave the order of the documents, which is that of rank and term. */
function takeKeys(
  view: SnapshotView,
  { plan, seasons, places }: Asked & { readonly places: Uint32Array },
): Uint32Array {
  const { documents, peakMonths, strengths } = seasons;
  const keyOf: Readonly<Record<SeasonOrder, (place: number) => number>> = {
    strength: (place) => strengths[place] ?? 0,
    weeks_until_peak: (place) => plan.weeksUntilPeak[(peakMonths[place] ?? 1) - 1] ?? 0,
    current_rank: (place) => view.latestRanks[documents[place] ?? 0] ?? 0,
    query: (place) => view.termPlaces[documents[place] ?? 0] ?? 0,
  };
  const { field, direction } = plan.order;
  const read = keyOf[field];
  const keys = takeRoom('orderKeys', places.length).subarray(0, places.length);
  for (let i = 0; i < places.length; i += 1) {
    const key = read(places[i] ?? 0);
    keys[i] = direction === 'asc' ? key : HIGHEST_KEY - key;
  }
  return keys;
}
