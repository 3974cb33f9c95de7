// The seasons of a window: found once for each, some pages of slots at a time so that searches come in between, and kept as columns
// by place in the list of seasonal documents, which are ascending.
import type { Period } from '../../domain/period.ts';
import { listSeasonYears, MIN_FULL_YEARS } from '../../domain/season.ts';
import { makeSeasons, type SeasonBuffers, viewSeasons } from '../format/season-columns.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { PAGE_SLOTS, walkValues } from '../format/sparse-column.ts';
import { findTermSeason, layOutRanks, type TermSeason } from './term-season.ts';

export interface SeasonPages {
  /** The window: so many of the newest periods. */
  readonly size: number;
  readonly firstPage: number;
  readonly pageCount: number;
}

/** Ranks that one task reads: some tens of milliseconds. */
const RANKS_PER_TASK = 2 ** 19;

/** The tasks that find all seasons of a window; none where it has too few years. */
export function planSeasonPages(
  periods: readonly Period[],
  { size, slotCount }: { readonly size: number; readonly slotCount: number },
): readonly SeasonPages[] {
  if (listSeasonYears(periods.slice(-size)).length < MIN_FULL_YEARS) return [];
  const pageCount = Math.max(1, Math.floor(RANKS_PER_TASK / (size * PAGE_SLOTS)));
  const taskCount = Math.ceil(slotCount / (pageCount * PAGE_SLOTS));
  return Array.from({ length: taskCount }, (_, i) => ({ size, firstPage: i * pageCount, pageCount }));
}

/** Those of a few pages, in the order of slots. */
export function findSeasons(
  view: SnapshotView,
  { size, firstPage, pageCount }: SeasonPages,
  throwIfCancelled: () => void = () => {},
): SeasonBuffers {
  const years = listSeasonYears(view.periods.slice(-size));
  const layout = layOutRanks(years);
  const windowRanks = view.ranks.slice(-size);
  const columns = years.flat(2).flatMap((place) => windowRanks[place] ?? []);
  const ranks = new Uint32Array(columns.length * PAGE_SLOTS);
  const [newestCount = 0] = view.periodEnds;
  const found: { document: number; season: TermSeason }[] = [];
  for (let page = firstPage; page < firstPage + pageCount; page += 1) {
    throwIfCancelled();
    const firstSlot = page * PAGE_SLOTS;
    ranks.fill(0);
    for (const [at, column] of columns.entries()) {
      const put = (slot: number, rank: number): void => {
        ranks[(slot - firstSlot) * columns.length + at] = rank;
      };
      walkValues(column, put, { first: page, count: 1 });
    }
    const endSlot = Math.min(firstSlot + PAGE_SLOTS, view.slotDocuments.length);
    for (let slot = firstSlot, base = 0; slot < endSlot; slot += 1, base += columns.length) {
      const document = view.slotDocuments[slot] ?? 0;
      const season = document < newestCount ? findTermSeason(layout, ranks, base) : undefined;
      if (season) found.push({ document, season });
    }
  }
  const buffers = makeSeasons(found.length);
  const seasons = viewSeasons(buffers);
  for (const [i, { document, season }] of found.entries()) {
    seasons.documents[i] = document;
    seasons.peakMonths[i] = season.peakMonth;
    seasons.fullYears[i] = season.fullYears;
    seasons.strengths[i] = season.strength;
  }
  return buffers;
}

/** All parts together, documents ascending. */
export function joinSeasons(view: SnapshotView, parts: readonly SeasonBuffers[]): SeasonBuffers {
  const all = parts.map(viewSeasons);
  // By document: whether it is there, then how many stand before it.
  const places = new Uint32Array(view.periodEnds[0] ?? 0);
  for (const { documents } of all) for (const document of documents) places[document] = 1;
  let count = 0;
  for (let document = 0; document < places.length; document += 1) {
    const isThere = places[document] ?? 0;
    places[document] = count;
    count += isThere;
  }
  const buffers = makeSeasons(count);
  const joined = viewSeasons(buffers);
  for (const { documents, peakMonths, fullYears, strengths } of all) {
    for (let i = 0; i < documents.length; i += 1) {
      const document = documents[i] ?? 0;
      const place = places[document] ?? 0;
      joined.documents[place] = document;
      joined.peakMonths[place] = peakMonths[i] ?? 0;
      joined.fullYears[place] = fullYears[i] ?? 0;
      joined.strengths[place] = strengths[i] ?? 0;
    }
  }
  return buffers;
}
