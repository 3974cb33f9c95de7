// How much demo data to make.

export interface DemoSize {
  /** Rows of each search report. */
  readonly terms: number;
  /** Rows of each weekly one, where they end earlier. */
  readonly weekTerms?: number;
  readonly months: number;
  readonly weeks: number;
  /** Rows of each period of the social feed; none when 0. */
  readonly socialTerms: number;
  /** The share of each report that no earlier one had. Without it terms come and go among a few times as many. */
  readonly churn?: number;
}

export const DEMO_SIZES = {
  s: { terms: 20_000, months: 26, weeks: 8, socialTerms: 1_500 },
  m: { terms: 1_000_000, months: 24, weeks: 6, socialTerms: 5_000 },
  l: { terms: 3_000_000, months: 24, weeks: 6, socialTerms: 10_000 },
} as const satisfies Record<string, DemoSize>;

/** What `serve --demo` fills an empty service with: the months of size s, and half a year of weeks that end earlier. */
export const FIRST_LOOK: DemoSize = { ...DEMO_SIZES.s, weeks: 26, weekTerms: 5_000 };
export type DemoSizeName = keyof typeof DEMO_SIZES;

/** A period shows about the most searched third of all terms; the others come and go. */
export const UNIVERSE_FACTOR = 3.5;
