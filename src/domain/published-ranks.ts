import type { OrganizationId } from './account.ts';
import { invalidParameter } from './error.ts';
import type { Manifest, PublishedPeriod } from './manifest.ts';
import { comparePeriods, FREQUENCIES, type Frequency } from './period.ts';
import { type Plan, visiblePeriods } from './plan.ts';
import type { RankSet, RankSource, RankView } from './store.ts';

/** The rank data that this process serves. */
export interface PublishedRanks {
  /** What is published, in the state that views show. */
  readonly manifest: Manifest;
  /** Throws a StoreOverloadError when a search of this organization, or of none that waits, would have to wait too long. */
  checkRoom(owner?: OrganizationId): void;
  /** One state of a set, to be closed after use; undefined when nothing of it is published. Organizations take turns in it. */
  openView(set: RankSet, owner?: OrganizationId): RankView | undefined;
}

/** Checks a marketplace that a caller named. The default one is allowed even while it has no data. */
export function parseMarketplace(
  given: string | undefined,
  { manifest, defaultMarketplace }: { readonly manifest: Manifest; readonly defaultMarketplace: string },
): string {
  if (given === undefined || given === defaultMarketplace) return defaultMarketplace;
  const known = listMarketplaces(manifest);
  if (known.includes(given)) return given;
  throw invalidParameter(
    { name: 'marketplace', fault: `names '${given}', for which there is no data.` },
    known.length === 0 ? 'No marketplace has data yet.' : `There is data for ${known.join(', ')}.`,
  );
}

/** Those with data. */
export function listMarketplaces(manifest: Manifest): readonly string[] {
  return [...new Set(manifest.periods.map(({ marketplace }) => marketplace))].sort();
}

/** The published periods that a plan can see, newest first: months before weeks, search ranks before social ones. */
export function listVisiblePeriods(
  manifest: Manifest,
  {
    plan,
    marketplace,
    sources,
  }: { readonly plan: Plan; readonly marketplace: string; readonly sources: readonly RankSource[] },
): readonly PublishedPeriod[] {
  const series = (source: RankSource, frequency: Frequency) =>
    manifest.periods
      .filter(
        (each) => each.marketplace === marketplace && each.source === source && each.period.frequency === frequency,
      )
      .sort((a, b) => comparePeriods(b.period, a.period))
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
