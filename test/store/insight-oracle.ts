// The oracle of the insights: each number by itself, from a row as it is shown, in the words of docs/numbers.md.
import type { Insights } from '../../src/domain/insights.ts';
import { comparePeriods, isSamePeriod, type Period } from '../../src/domain/period.ts';
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import { parseWords, stemWord } from '../../src/domain/words.ts';

export function expectedInsights(row: SearchRow, { window, comparison }: SearchPlan): Insights {
  const rankIn = (wanted: Period | undefined) => {
    const place = window.findIndex((period) => wanted !== undefined && isSamePeriod(period, wanted));
    return row.ranks[place] ?? null;
  };
  const [fromRank, toRank, yearAgoRank] = [comparison.from, comparison.to, comparison.yearAgo].map(rankIn);
  const change = fromRank && toRank ? fromRank - toRank : null;
  const click = sumOf(row.products.map(({ clickShare }) => clickShare));
  const conversion = sumOf(row.products.map(({ conversionShare }) => conversionShare));
  const ranked = window.filter((_, i) => row.ranks[i] !== null);
  const missing = window.findLastIndex((_, i) => row.ranks[i] === null);
  return {
    fromPeriod: comparison.from ?? null,
    toPeriod: comparison.to ?? null,
    fromRank: fromRank ?? null,
    toRank: toRank ?? null,
    change,
    changePercentage: change === null ? null : roundAway((100 * change) / (fromRank ?? 1), 100),
    yearChange: yearAgoRank && toRank ? yearAgoRank - toRank : null,
    clickConcentration: click,
    conversionConcentration: conversion,
    conversionToClick: click && conversion !== null ? roundAway(conversion / click, 10_000) : null,
    titleGap: titleGapOf(row),
    firstSeen: ranked[0] ?? null,
    streak: window.length - 1 - missing,
  };
}

export function passesInsights(row: SearchRow, plan: SearchPlan): boolean {
  const { filters } = plan;
  const insights = () => expectedInsights(row, plan);
  const isWithin = (read: (of: Insights) => number | null, min: number | undefined, max: number | undefined) => {
    if (min === undefined && max === undefined) return true;
    const value = read(insights());
    return value !== null && value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
  };
  const isSeenSince = (since: Period) => {
    const { firstSeen } = insights();
    return firstSeen !== null && comparePeriods(firstSeen, since) >= 0;
  };
  return (
    isWithin(({ change }) => change, filters.minChange, filters.maxChange) &&
    isWithin((of) => of.changePercentage, filters.minChangePercentage, filters.maxChangePercentage) &&
    isWithin((of) => of.yearChange, filters.minYearChange, filters.maxYearChange) &&
    isWithin((of) => of.clickConcentration, filters.minClickConcentration, filters.maxClickConcentration) &&
    isWithin((of) => of.conversionToClick, filters.minConversionToClick, filters.maxConversionToClick) &&
    (!filters.firstSeenSince || isSeenSince(filters.firstSeenSince)) &&
    (!filters.titleGap || insights().titleGap === true)
  );
}

/** In steps of a fraction, halves away from zero, without a negative zero. */
function roundAway(value: number, steps: number): number {
  const size = Math.round(Math.abs(value) * steps) / steps;
  return value < 0 && size !== 0 ? -size : size;
}

function sumOf(shares: readonly (number | null)[]): number | null {
  const known = shares.flatMap((share) => (share === null ? [] : [share]));
  return known.length === 0 ? null : Math.round(known.reduce((sum, share) => sum + share, 0) * 100) / 100;
}

/** Many plans look at one keyword, so its titles are read once. */
const titleGaps = new WeakMap<SearchRow['products'], boolean | null>();

function titleGapOf(row: SearchRow): boolean | null {
  const gap = titleGaps.has(row.products) ? (titleGaps.get(row.products) ?? null) : readTitleGap(row);
  titleGaps.set(row.products, gap);
  return gap;
}

function readTitleGap({ normalizedSearchTerm, products }: SearchRow): boolean | null {
  const titles = products.map(({ title }) => title).filter((title) => title !== '');
  if (titles.length === 0) return null;
  const stemsIn = (text: string) => parseWords(normalizeTerm(text)).map(stemWord);
  return stemsIn(normalizedSearchTerm).some((stem) => !titles.some((title) => stemsIn(title).includes(stem)));
}
