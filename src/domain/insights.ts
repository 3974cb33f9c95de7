// What a keyword's numbers say: how it moved between two periods, how much of the clicks its top products have, and whether their
// titles miss a word. All of it is arithmetic on what reports say; docs/numbers.md defines every number. What is not known is
// null, never a guess.
import type { Comparison } from './comparison.ts';
import { isSamePeriod, type Period } from './period.ts';
import { changeHundredths } from './trend.ts';

export interface Insights {
  readonly fromPeriod: Period | null;
  readonly toPeriod: Period | null;
  readonly fromRank: number | null;
  readonly toRank: number | null;
  /** Positive is up, here and below. */
  readonly change: number | null;
  readonly changePercentage: number | null;
  readonly yearChange: number | null;
  /** Percent. */
  readonly clickConcentration: number | null;
  readonly conversionConcentration: number | null;
  readonly conversionToClick: number | null;
  /** Whether a word of the term, compared by stems, stands in no title of its latest products; null where all titles are empty. */
  readonly titleGap: boolean | null;
  readonly firstSeen: Period | null;
  /** Visible periods in a row with a rank, up to the newer one. */
  readonly streak: number;
}

/** conversion_to_click is shown in steps of one ten-thousandth. */
export const RATIO_STEPS = 10_000;

/** What is known of a keyword. */
export interface InsightSource {
  /** One per period of the window, oldest first; null or 0 where it has none. */
  readonly ranks: ArrayLike<number | null>;
  /** Of its latest data, in percent. */
  readonly products: readonly { readonly clickShare: number | null; readonly conversionShare: number | null }[];
  readonly titleGap: boolean | null;
}

/** Insights of the keywords of one plan. */
export function openInsights({
  window,
  comparison: { from, to, yearAgo },
}: {
  readonly window: readonly Period[];
  readonly comparison: Comparison;
}): (keyword: InsightSource) => Insights {
  const placeOf = (wanted: Period | undefined): number =>
    wanted ? window.findIndex((period) => isSamePeriod(period, wanted)) : -1;
  const [fromPlace, toPlace, yearAgoPlace] = [placeOf(from), placeOf(to), placeOf(yearAgo)];
  return ({ ranks, products, titleGap }) => {
    const fromRank = ranks[fromPlace] || null;
    const toRank = ranks[toPlace] || null;
    const click = sumShares(products.map(({ clickShare }) => clickShare));
    const conversion = sumShares(products.map(({ conversionShare }) => conversionShare));
    const ratioSteps = conversionToClickSteps(conversion, click);
    return {
      fromPeriod: from ?? null,
      toPeriod: to ?? null,
      fromRank,
      toRank,
      change: differenceOf(fromRank, toRank),
      changePercentage: fromRank === null || toRank === null ? null : changeHundredths(fromRank, toRank) / 100,
      yearChange: differenceOf(ranks[yearAgoPlace] || null, toRank),
      clickConcentration: click === null ? null : click / 100,
      conversionConcentration: conversion === null ? null : conversion / 100,
      conversionToClick: ratioSteps === null ? null : ratioSteps / RATIO_STEPS,
      titleGap,
      firstSeen: firstSeenOf(window, ranks),
      streak: streakOf(ranks, toPlace),
    };
  };
}

/** Both in hundredths of a percent; null where one is unknown or nothing was clicked. Halves are rounded up, with whole numbers only. */
export function conversionToClickSteps(conversion: number | null, click: number | null): number | null {
  if (conversion === null || click === null || click === 0) return null;
  return Math.floor((conversion * 2 * RATIO_STEPS + click) / (2 * click));
}

/** In hundredths of a percent; null where none is known. */
function sumShares(shares: readonly (number | null)[]): number | null {
  const known = shares.filter((share) => share !== null);
  return known.length === 0 ? null : known.reduce((sum, share) => sum + Math.round(share * 100), 0);
}

function differenceOf(earlier: number | null, later: number | null): number | null {
  return earlier === null || later === null ? null : earlier - later;
}

function firstSeenOf(window: readonly Period[], ranks: InsightSource['ranks']): Period | null {
  let place = 0;
  while (place < ranks.length && !ranks[place]) place += 1;
  return window[place] ?? null;
}

function streakOf(ranks: InsightSource['ranks'], toPlace: number): number {
  let place = toPlace;
  while (place >= 0 && ranks[place]) place -= 1;
  return toPlace - place;
}
