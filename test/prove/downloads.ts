// Months of reports fetched from a stand-in for Amazon that causes every kind of trouble, by servers that are killed at random.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SECRET_KEY_FILE } from '../../src/amazon/secret-keys.ts';
import { writeBackup } from '../../src/backup/backup.ts';
import { listWantedPeriods } from '../../src/domain/download-schedule.ts';
import { type AmazonRegion, findMarketplaceId, listMarketplaceCodes } from '../../src/domain/marketplace.ts';
import { type IsoDate, isoWeekOf, type Period, periodDates } from '../../src/domain/period.ts';
import type { PublishedPeriod } from '../../src/domain/store.ts';
import { importReports } from '../../src/ingest/importer.ts';
import { type DownloadWorld, openDownloadWorld, placeName } from '../amazon/download-world.ts';
import type { Trouble } from '../amazon/fake-amazon.ts';
import { reportJson } from '../amazon/report-json.ts';
import { TEST_OPTIONS } from '../ingest/workbench.ts';
import { openOraclePublisher } from '../store/oracle-store.ts';
import { tryLargeDownload } from './large-download.ts';
import type { Finding, Promised, Trial } from './promised.ts';
import { SeededRandom } from './seeded-random.ts';

const DAY_MS = 86_400_000;
const START = new Date('2026-06-03T05:00:00Z');
const NEVER = new Date(8e15);
const TERMS = 12;
const TROUBLE: Trouble = {
  // Three in a row are a reason to give an old period up, which must not happen by chance.
  fatal: 0.02,
  throttled: 0.04,
  unavailable: 0.04,
  expired: 0.05,
  cut: 0.08,
  spoiled: 0.03,
  mislabelled: 0.2,
};

interface Size {
  readonly marketplaces: Readonly<Partial<Record<AmazonRegion, number>>>;
  readonly weeks: number;
  readonly months: number;
  readonly lookBack: { readonly lookBackWeeks: number; readonly lookBackMonths: number };
  /** Over which new periods come, and old ones are corrected. */
  readonly days: number;
}

/** About 1,350 revisions: half an hour on two cores that are busy with much else. */
const FULL: Size = {
  marketplaces: { na: 4, eu: 13, fe: 3 },
  weeks: 52,
  months: 12,
  days: 15,
  lookBack: { lookBackWeeks: 8, lookBackMonths: 3 },
};
const QUICK: Size = {
  marketplaces: { na: 1, fe: 1 },
  weeks: 2,
  months: 0,
  days: 8,
  lookBack: { lookBackWeeks: 3, lookBackMonths: 1 },
};

async function tryDownloads({ seed, quick, report }: Trial): Promise<Finding> {
  const size = quick ? QUICK : FULL;
  const chance = new SeededRandom(seed + 1);
  const salt = chance.below(1_000_000);
  await using world = await openDownloadWorld({
    seed,
    now: START,
    deaths: 0.05,
    amazon: {
      trouble: TROUBLE,
      termsPerReport: TERMS,
      availableAt: (marketplace, period) =>
        new Date(endMs(period) + (1 + 3 * hash(salt, marketplace, period)) * DAY_MS),
      versionAt: (marketplace, period, now) => (now < correctedAt(salt, marketplace, period) ? 1 : 2),
    },
  });
  const regions = Object.entries(size.marketplaces) as [AmazonRegion, number][];
  for (const [region, count] of regions) {
    const marketplaces = listMarketplaceCodes(region).slice(0, count);
    await world.connect({ region, marketplaces, ...size.lookBack, since: sinceOf(size) });
  }
  const end = new Date(START.getTime() + size.days * DAY_MS);
  let lastReport = 0;
  await world.run(end, async () => {
    const done = world.published.size;
    if (done >= lastReport + 100) {
      lastReport = done;
      report(`${done} imports, ${world.now.toISOString().slice(0, 10)}`);
    }
    return false;
  });
  // Time to come to rest, without new trouble: what waits at the end is not lost.
  world.amazon.trouble = { ...TROUBLE, fatal: 0, spoiled: 0, cut: 0, unavailable: 0, throttled: 0, expired: 0 };
  await world.run(new Date(end.getTime() + 4 * DAY_MS));
  return await check(world, { size, salt, end });
}

async function check(
  world: DownloadWorld,
  { size, salt, end }: { size: Size; salt: number; end: Date },
): Promise<Finding> {
  const faults: string[] = [];
  const { periods } = await world.publisher.readCatalog();
  const byName = new Map(periods.map((period) => [placeName(period), period]));
  const downloads = await world.listDownloads();
  const wanted = listExpected(size, end);
  const expected = await expectedDigests(wanted, salt);
  for (const place of wanted) {
    const name = placeName(place);
    const published = byName.get(name);
    const download = downloads.find((each) => each.place === name);
    if (!published) faults.push(`${name} is missing: ${download?.state} ${download?.message}`);
    else if (!expected.get(name)?.slice(0, published.revision).includes(published.digest))
      faults.push(`${name} has another digest`);
  }
  const twice = [...world.published].filter(([, times]) => times !== 1);
  if (twice.length > 0) faults.push(`${twice.length} were published twice, such as ${twice[0]?.[0]}`);
  const corrected = periods.filter(({ revision }) => revision > 1).length;
  const failed = downloads.filter(({ state }) => state === 'failed').length;
  if (failed > 0) faults.push(`${failed} were given up: ${downloads.find(({ state }) => state === 'failed')?.message}`);
  if (world.amazon.overRate > 0) faults.push(`${world.amazon.overRate} requests above the rate`);
  const leaks = await countLeaks(world);
  if (leaks > 0) faults.push(`${leaks} secrets were found`);
  const left = await readdir(join(world.bench.dataDirectory, 'downloads')).catch(() => []);
  if (left.length > 3) faults.push(`${left.length} files were left behind`);
  const requests = Object.values(world.amazon.asked).reduce((sum, count) => sum + count, 0);
  return {
    kept: faults.length === 0,
    figure:
      `${wanted.length} periods, ${world.published.size} revisions in ${world.batches.length} imports, ${corrected} corrected, ` +
      `${requests} requests, ${world.deaths} servers killed, ` +
      `${world.amazon.overRate} above the rate, ${leaks} secrets seen; ${faults.length} faults ${faults[0] ?? ''}`.trim(),
  };
}

/** Every period that had to be fetched: those that can be asked for, and were made, in time. */
function listExpected(size: Size, end: Date): readonly { readonly marketplace: string; readonly period: Period }[] {
  const rules = { ...size.lookBack, since: sinceOf(size) };
  const periods = (['weekly', 'monthly'] as const).flatMap((frequency) =>
    listWantedPeriods(rules, frequency, new Date(end.getTime() - 3 * DAY_MS)),
  );
  const codes = (Object.entries(size.marketplaces) as [AmazonRegion, number][]).flatMap(([region, count]) =>
    listMarketplaceCodes(region).slice(0, count),
  );
  return codes.flatMap((marketplace) => periods.map((period) => ({ marketplace, period })));
}

/** What an import of each version of each report by hand gives. */
async function expectedDigests(
  wanted: readonly { readonly marketplace: string; readonly period: Period }[],
  salt: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const directory = await mkdtemp(join(tmpdir(), 'keyrank-test-'));
  const digests = new Map<string, string[]>();
  try {
    for (const version of [1, 2]) {
      const { publisher } = await openOraclePublisher();
      const files: string[] = [];
      const made = wanted.filter(
        ({ marketplace, period }) => version === 1 || correctedAt(salt, marketplace, period) < NEVER,
      );
      for (const { marketplace, period } of made) {
        const { start, end } = periodDates(period);
        const marketplaceId =
          (['na', 'eu', 'fe'] as const).map((region) => findMarketplaceId(marketplace, region)).find(Boolean) ?? '';
        const path = join(directory, `${marketplace}-${start}-${end}-${salt}.json`);
        await writeFile(path, reportJson({ marketplaceId, start, end, version, terms: TERMS }));
        files.push(path);
      }
      await importReports({
        files: files.map((path) => ({ path, source: 'search' as const })),
        options: { ...TEST_OPTIONS, threads: 1 },
        publisher,
        dataDirectory: join(directory, 'data'),
        onProgress: () => {},
        now: () => new Date('2030-01-01T00:00:00Z'),
        publishTogether: true,
      });
      const { periods } = await publisher.readCatalog();
      for (const period of periods as readonly PublishedPeriod[]) {
        digests.set(placeName(period), [...(digests.get(placeName(period)) ?? []), period.digest]);
      }
    }
    return digests;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** In what servers logged, in every table, and in every byte of a backup. */
async function countLeaks(world: DownloadWorld): Promise<number> {
  const { database, dataDirectory } = world.bench;
  const directory = await mkdtemp(join(tmpdir(), 'keyrank-test-'));
  try {
    const target = join(directory, 'backup');
    await writeBackup({
      server: database.server,
      pool: database.operator,
      files: world.bench.publisher().files,
      dataDirectory,
      directory: target,
      version: 'test',
      now: () => new Date(),
      onWait: () => {},
      onProgress: () => {},
    });
    const texts = [world.log.join('\n'), JSON.stringify(await world.listDownloads())];
    for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = await readFile(join(entry.parentPath, entry.name));
      texts.push((entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1'));
    }
    const all = texts.join('\n');
    // The key that seals them, too.
    const key = (await readFile(join(dataDirectory, SECRET_KEY_FILE), 'utf8')).trim();
    const secrets = [...world.amazon.secrets, key, Buffer.from(key, 'base64').toString('latin1')];
    const hexes = [...secrets, Buffer.from(key, 'base64')].map((secret) => Buffer.from(secret).toString('hex'));
    return [...secrets, ...hexes].filter((secret) => all.includes(secret)).length;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function sinceOf({ weeks, months }: Size): IsoDate {
  const ms = START.getTime() - Math.max(weeks * 7, months * 30.4) * DAY_MS;
  const { end } = periodDates(isoWeekOf(new Date(ms).toISOString().slice(0, 10) as IsoDate));
  return end;
}

/** One of ten periods is corrected, some days after it could be fetched first. */
function correctedAt(salt: number, marketplace: string, period: Period): Date {
  const chance = hash(salt + 7, marketplace, period);
  return chance > 0.1 ? NEVER : new Date(Math.max(endMs(period), START.getTime()) + (5 + 60 * chance) * DAY_MS);
}

function endMs(period: Period): number {
  return Date.parse(`${periodDates(period).end}T00:00:00Z`) + DAY_MS;
}

/** From 0 to below 1, the same for the same place. */
function hash(salt: number, marketplace: string, { frequency, year, number }: Period): number {
  const text = `${marketplace}${frequency}${year}${number}`;
  const mixed = [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, salt >>> 0);
  return new SeededRandom(mixed).next();
}

export const downloads: readonly Promised[] = [
  {
    name: 'reports from an Amazon in trouble, fetched by servers that are killed',
    goal: '52 weeks and 12 months × 20 marketplaces, and what comes in 15 days: every period published once with the digest of an import by hand, 0 requests above the rate, 0 secrets in logs, tables and backups',
    run: tryDownloads,
  },
  {
    name: 'a large report, fetched and imported by a server',
    goal: '1 GB: the server grows by at most 256 MB while it comes, the import takes at most 2.3 GB, the body lies on disk once and is gone afterwards',
    run: tryLargeDownload,
  },
];
