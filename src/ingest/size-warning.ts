import { OperatorError } from '../domain/error.ts';
import { comparePeriods, type Period, periodKey } from '../domain/period.ts';
import type { PublishedPeriod } from '../domain/store.ts';

/** Periods that the size of a new one is compared with. */
const COMPARED_PERIODS = 4;
const SMALL = 0.6;
const LARGE = 1.7;
/** Of the keywords of the published revision; with fewer, a report does not replace it unasked. */
const MIN_REPLACING_SHARE = 0.5;

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

export function checkShrinkage({
  current,
  keywords,
}: {
  readonly current: PublishedPeriod;
  readonly keywords: number;
}): void {
  if (keywords >= current.keywords * MIN_REPLACING_SHARE) return;
  const name = `${current.marketplace} ${current.period.frequency} ${periodKey(current.period)} ${current.source}`;
  throw new OperatorError(
    `The file has ${formatCount(keywords)} keywords for ${name}, less than half of the ${formatCount(current.keywords)} that are published as revision ${current.revision}.`,
    { hint: 'Nothing was changed. If the file is right, import it with --replace-smaller.' },
  );
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
