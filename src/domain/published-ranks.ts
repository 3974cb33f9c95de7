import { invalidParameter } from './error.ts';
import { comparePeriods, FREQUENCIES, type Frequency } from './period.ts';
import { type Plan, visiblePeriods } from './plan.ts';
import { listPeriods } from './rank-publisher.ts';
import type { PublishedPeriod, RankCatalog, RankSource } from './store.ts';

/** Checks a marketplace that a caller named. The default one is allowed even while it has no data. */
export function parseMarketplace(
  given: string | undefined,
  { catalog, defaultMarketplace }: { readonly catalog: RankCatalog; readonly defaultMarketplace: string },
): string {
  if (given === undefined || given === defaultMarketplace) return defaultMarketplace;
  const known = listMarketplaces(catalog);
  if (known.includes(given)) return given;
  throw invalidParameter(
    { name: 'marketplace', fault: `names '${given}', for which there is no data.` },
    known.length === 0 ? 'No marketplace has data yet.' : `There is data for ${known.join(', ')}.`,
  );
}

/** Those with data. */
export function listMarketplaces(catalog: RankCatalog): readonly string[] {
  return [...new Set(catalog.periods.map(({ marketplace }) => marketplace))].sort();
}

/** The published periods that a plan can see, newest first: months before weeks, search ranks before social ones. */
export function listVisiblePeriods(
  catalog: RankCatalog,
  {
    plan,
    marketplace,
    sources,
  }: { readonly plan: Plan; readonly marketplace: string; readonly sources: readonly RankSource[] },
): readonly PublishedPeriod[] {
  const series = (source: RankSource, frequency: Frequency) =>
    listPeriods(catalog, { marketplace, source, frequency })
      .toSorted((a, b) => comparePeriods(b.period, a.period))
      .map((published) => ({ frequency, published }));
  return sources.flatMap((source) =>
    FREQUENCIES.flatMap((frequency) =>
      visiblePeriods(plan, series(source, frequency)).map(({ published }) => published),
    ),
  );
}

/** How far a server is behind what is published. */
export interface DataLag {
  readonly servedVersion: number;
  /** The newest that this server knows of. */
  readonly wantedVersion: number;
  /** Since it knows of a newer version than it serves; 0 when it serves the newest. */
  readonly behindSeconds: number;
  /** Attempts to load what is wanted that failed since the last that did not. */
  readonly failures: number;
  /** Why the last attempt failed, in plain words that may be shown to anyone; null when it did not. */
  readonly fault: string | null;
}
