import type { PublishedPeriod } from '../domain/manifest.ts';
import { comparePeriods, type Period } from '../domain/period.ts';

/** Periods that the size of a new one is compared with. */
const COMPARED_PERIODS = 4;
const SMALL = 0.6;
const LARGE = 1.7;

/** A file of half or double the usual size is most often a filtered download, or two files in one. */
export function sizeWarning({
  keywords,
  period,
  published,
}: {
  readonly keywords: number;
  readonly period: Period;
  /** Of the same series. */
  readonly published: readonly PublishedPeriod[];
}): string | undefined {
  const last = published
    .filter((candidate) => comparePeriods(candidate.period, period) !== 0)
    .toSorted((a, b) => comparePeriods(a.period, b.period))
    .slice(-COMPARED_PERIODS);
  if (last.length === 0) return undefined;
  const mean = last.reduce((sum, candidate) => sum + candidate.keywords, 0) / last.length;
  const ratio = keywords / mean;
  if (ratio > SMALL && ratio < LARGE) return undefined;
  const size = `${formatCount(keywords)} keywords, ${Math.round(ratio * 100)} % of the mean of the last ${last.length} periods`;
  return `Unusual size: ${size} (${formatCount(Math.round(mean))}).`;
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
