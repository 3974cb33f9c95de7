// The demo data set as a sequence of report files. Each can be written, imported and deleted before the next is made. What
// a period holds depends on the size, the seed and the period alone: the same month comes out the same next year.

import type { Period } from '../src/domain/period.ts';
import { type ByteSink, putText } from './byte-sink.ts';
import { type Churn, coreCount, createChurn } from './churn.ts';
import { createRanker, type Ranker } from './ranking.ts';
import { compareByEnd, completeMonths, completeWeeks } from './report-calendar.ts';
import { type WriteOptions, type WrittenReport, writeReportFile } from './report-file.ts';
import { reportFileName } from './report-name.ts';
import { createSearchReport, MAX_ROW_BYTES } from './search-report.ts';
import { DEMO_SIZES, type DemoSize, type DemoSizeName, UNIVERSE_FACTOR } from './size.ts';
import { createSocialFeed, SOCIAL_HEADING, type SocialFeed } from './social-feed.ts';
import { createTermSpace, type TermSpace } from './term-space.ts';
import { createUniverse, type Universe } from './universe.ts';

export const DEFAULT_SEED = 1;

export interface DemoOptions {
  readonly size: DemoSizeName | DemoSize;
  readonly seed?: number;
  /** The newest periods that are complete at this moment are the last ones. */
  readonly now: Date;
  readonly marketplace?: string;
}

export interface DemoReport {
  readonly fileName: string;
  /** Amazon's CSV, or our plain CSV that must be imported as social-media ranks. */
  readonly kind: 'search' | 'social';
  readonly marketplace: string;
  /** One period of a search report, all periods of one frequency of the social feed; oldest first. */
  readonly periods: readonly Period[];
  readonly rows: number;
  write(path: string, options?: WriteOptions): Promise<WrittenReport>;
}

/** What all reports of a data set share, made when the first one is written. */
interface World {
  readonly space: TermSpace;
  readonly universe: Universe;
  readonly ranker: Ranker;
  /** Undefined when all terms are those of the universe. */
  readonly churn: Churn | undefined;
  readonly social: SocialFeed;
  readonly seed: number;
}

/** Search reports in order of their last day, then the social feed. */
export function* generateReports(options: DemoOptions): Generator<DemoReport, void, undefined> {
  const { now, seed = DEFAULT_SEED, marketplace = 'US' } = options;
  const size: DemoSize = typeof options.size === 'string' ? DEMO_SIZES[options.size] : options.size;
  const months = completeMonths({ now, count: size.months });
  const weeks = completeWeeks({ now, count: size.weeks });
  let world: World | undefined;
  const openWorld = (): World => {
    world ??= createWorld({ size, seed });
    return world;
  };
  for (const period of [...months, ...weeks].sort(compareByEnd)) {
    const rows = period.frequency === 'weekly' ? (size.weekTerms ?? size.terms) : size.terms;
    yield {
      fileName: reportFileName({ marketplace, period }),
      kind: 'search',
      marketplace,
      periods: [period],
      rows,
      write: (path, writeOptions) => writeSearchReport(path, { world: openWorld(), period, rows, writeOptions }),
    };
  }
  if (size.socialTerms === 0) return;
  for (const periods of [months, weeks]) {
    const frequency = periods[0]?.frequency;
    if (frequency === undefined) continue;
    yield {
      fileName: `${marketplace}_Social_Ranks_${frequency === 'monthly' ? 'Monthly' : 'Weekly'}.csv`,
      kind: 'social',
      marketplace,
      periods,
      rows: size.socialTerms * periods.length,
      write: (path, writeOptions) =>
        writeSocialFeed(path, { world: openWorld(), periods, rows: size.socialTerms, writeOptions }),
    };
  }
}

function createWorld({ size, seed }: { readonly size: DemoSize; readonly seed: number }): World {
  const space = createTermSpace();
  const isChurning = size.churn !== undefined;
  const terms = isChurning ? coreCount(size) : Math.ceil(size.terms * UNIVERSE_FACTOR);
  const universe = createUniverse({ space, seed, terms });
  const social = createSocialFeed({ space, universe, seed, rows: size.socialTerms });
  const ranker = createRanker({ space, universe, seed });
  const churn = isChurning ? createChurn({ universe, ranker, seed, size }) : undefined;
  return { space, universe, ranker, churn, social, seed };
}

interface WriteJob {
  readonly world: World;
  readonly rows: number;
  readonly writeOptions: WriteOptions | undefined;
}

function writeSearchReport(path: string, job: WriteJob & { readonly period: Period }): Promise<WrittenReport> {
  const { world, period, rows } = job;
  const terms = world.churn ? { universe: world.churn.termsOf(period) } : { order: world.ranker.rank(period) };
  const report = createSearchReport({ ...world, ...terms, period, rows });
  return writeReportFile(path, { ...report, maxRowBytes: MAX_ROW_BYTES }, job.writeOptions);
}

function writeSocialFeed(
  path: string,
  job: WriteJob & { readonly periods: readonly Period[] },
): Promise<WrittenReport> {
  const { social } = job.world;
  const ranked = job.periods.map((period) => ({ period, order: social.rank(period) }));
  const rowsEach = Math.min(job.rows, ranked[0]?.order.length ?? 0);
  const report = {
    rows: rowsEach * ranked.length,
    maxRowBytes: MAX_ROW_BYTES,
    putHeading: (sink: ByteSink) => putText(sink, SOCIAL_HEADING),
    putRow: (sink: ByteSink, row: number) => {
      const part = ranked[Math.floor((row - 1) / rowsEach)];
      const rank = ((row - 1) % rowsEach) + 1;
      if (part) social.putRow(sink, { period: part.period, rank, term: part.order[rank - 1] ?? 0 });
    },
  };
  return writeReportFile(path, report, job.writeOptions);
}
