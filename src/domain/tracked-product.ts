// Products that a user watches in an organization. What is stored is the id; where a product stands is read from the published data at the
// moment of asking.
import { comparePeriods, type Period } from './period.ts';
import { type Plan, visibleWindow } from './plan.ts';
import type { TrackedItem, TrackedItemChange, TrackedItems } from './tracked-item.ts';

/** Of one user in one organization. Paused ones count only in the second. Fewer than of keywords: each has many keywords. */
export const MAX_ACTIVE_PRODUCTS = 100;
export const MAX_TRACKED_PRODUCTS = 200;

export interface TrackedProduct extends TrackedItem {
  /** As products are stored, in upper case. */
  readonly asin: string;
}

export type NewTrackedProduct = Pick<TrackedProduct, 'asin' | 'notes'>;
export type TrackedProducts = TrackedItems<TrackedProduct, NewTrackedProduct, TrackedItemChange>;

/** What became of a keyword between two periods: the product came into its top three, left it, or stands at another place of it. */
export const STANDING_CHANGES = ['entered', 'left', 'place'] as const;
export type StandingChange = (typeof STANDING_CHANGES)[number];

/** Of one product in a digest or a message, the most searched first; the counts are of all. */
export const MAX_SHOWN_CHANGES = 10;

/** Asks what products gained and lost from one period to the next. */
export interface ProductChangePlan {
  /** The visible periods, oldest first. */
  readonly window: readonly Period[];
  /** One of them; undefined when none is visible: then products hold nothing. */
  readonly period: Period | undefined;
  /** The visible one before it; without one nothing has changed. */
  readonly previous: Period | undefined;
  readonly asins: readonly string[];
  /** Changed keywords that are listed of each. */
  readonly limit: number;
}

export interface ProductChanges {
  /** The newest of the window that is not blank; empty when none is known. */
  readonly title: string;
  /** In whose top three it stands in the period. */
  readonly keywords: number;
  /** In the period before; null when there is none. */
  readonly previousKeywords: number | null;
  /** How many of each change. */
  readonly counts: Readonly<Record<StandingChange, number>>;
  /** By search rank, then by normalised term; those without a rank last. */
  readonly rows: readonly ChangedKeyword[];
}

export interface ChangedKeyword {
  readonly change: StandingChange;
  /** As imported, in the newest visible form. */
  readonly searchTerm: string;
  /** In the period; null when it has none. */
  readonly rank: number | null;
  /** 1 to 3; null when it left. */
  readonly place: number | null;
  /** Null when it entered. */
  readonly previousPlace: number | null;
}

/** While nothing is visible. */
export const NO_CHANGES: ProductChanges = {
  title: '',
  keywords: 0,
  previousKeywords: null,
  counts: { entered: 0, left: 0, place: 0 },
  rows: [],
};

export function planProductChanges(
  { asins, period, limit }: Pick<ProductChangePlan, 'asins' | 'period' | 'limit'>,
  context: { readonly plan: Plan; readonly frequency: Period['frequency']; readonly published: readonly Period[] },
): ProductChangePlan {
  const window = visibleWindow(context);
  // A month that was never published shows the state of the one before.
  const current = period ? window.findLast((each) => comparePeriods(each, period) <= 0) : window.at(-1);
  const previous = current && window.findLast((each) => comparePeriods(each, current) < 0);
  return { window, period: current, previous, asins, limit };
}

/** How a product stands for a keyword in two periods, of which it is in at least one; undefined when nothing changed. */
export function standingChange(place: number | null, previousPlace: number | null): StandingChange | undefined {
  if (previousPlace === null) return 'entered';
  if (place === null) return 'left';
  return place === previousPlace ? undefined : 'place';
}

/** A product of a member with what a period brought it. */
export interface TrackedProductNews {
  readonly product: TrackedProduct;
  readonly changes: ProductChanges;
}

export function hasChanged({ counts }: ProductChanges): boolean {
  return counts.entered + counts.left + counts.place > 0;
}
