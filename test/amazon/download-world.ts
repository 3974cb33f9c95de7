// A database, a data directory, a stand-in for Amazon and servers that work on downloads, all by one clock that stands still until
// it is moved. Servers can be killed at any of their calls.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DownloadWorker, type ImportAnswer, noteRates, type ReportImport } from '../../src/amazon/download-worker.ts';
import { ReportsClient } from '../../src/amazon/reports-client.ts';
import { SecretKeys } from '../../src/amazon/secret-keys.ts';
import type { NewConnection } from '../../src/domain/connection.ts';
import type { Answer, Download, DownloadState } from '../../src/domain/download.ts';
import { DOWNLOAD_LANES, type DownloadLane } from '../../src/domain/download-queue.ts';
import { periodKey } from '../../src/domain/period.ts';
import type { RankPublisher } from '../../src/domain/rank-publisher.ts';
import { importReports } from '../../src/ingest/importer.ts';
import type { SessionRows } from '../../src/ingest/session-rows.ts';
import { addConnection } from '../../src/postgres/connection-changes.ts';
import { openDownloadQueue } from '../../src/postgres/downloads.ts';
import { tellLate } from '../../src/postgres/late-periods.ts';
import { openWorkbench, TEST_OPTIONS, type Workbench } from '../ingest/workbench.ts';
import { SeededRandom } from '../prove/seeded-random.ts';
import { openOraclePublisher } from '../store/oracle-store.ts';
import { type FakeAccount, FakeAmazon, type FakeAmazonOptions } from './fake-amazon.ts';

const LOOK_EVERY_MS = 2_000;
const IMPORT_WAITS = 0.95;
export const LANES = ['ask', 'fetch', 'import'] as const satisfies readonly DownloadLane[];

export interface SimulatedServer {
  step(lane: DownloadLane): Promise<boolean>;
  plan(): Promise<void>;
  /** Dies at one of its next calls: nothing that it does after that happens. */
  killWithin(calls: number): void;
  readonly isDead: boolean;
}

export interface DownloadWorld extends AsyncDisposable {
  readonly bench: Workbench;
  readonly publisher: RankPublisher<SessionRows>;
  readonly amazon: FakeAmazon;
  readonly random: SeededRandom;
  now: Date;
  /** What servers logged. */
  readonly log: string[];
  /** By period and revision, how often it was published. */
  readonly published: Map<string, number>;
  /** Of each import, how many files it took. */
  readonly batches: number[];
  /** Servers that were killed. */
  deaths: number;
  connect(given: Partial<NewConnection> & Pick<NewConnection, 'marketplaces' | 'region'>): Promise<FakeAccount>;
  startServer(): SimulatedServer;
  /** Moves the clock to the next moment at which something is due, at most so far. */
  advance(limit: Date): Promise<void>;
  /** Works until a moment, or until done. */
  run(until: Date, isDone?: () => Promise<boolean>): Promise<void>;
  listDownloads(): Promise<readonly { place: string; state: string; message: string; revision: number | null }[]>;
}

export async function openDownloadWorld(options: {
  readonly seed: number;
  readonly now: Date;
  readonly amazon?: Partial<FakeAmazonOptions>;
  /** Share of steps at which a server dies. */
  readonly deaths?: number;
  /** Imports go to the real files, and not to the oracle, which is faster. */
  readonly writesFiles?: boolean;
  /** In place of an own one, which stays open. */
  readonly bench?: Workbench;
}): Promise<DownloadWorld> {
  const bench = options.bench ?? (await openWorkbench());
  const random = new SeededRandom(options.seed);
  const clock = { now: options.now };
  const amazon = await FakeAmazon.open({ now: () => clock.now, random: () => random.next(), ...options.amazon });
  const { database, dataDirectory } = bench;
  const place = { secretKeys: null, dataDirectory };
  const log: string[] = [];
  const published = new Map<string, number>();
  const queue = openDownloadQueue(database.operator, { clock: () => clock.now });
  const { publisher } = options.writesFiles ? { publisher: bench.publisher() } : await openOraclePublisher();
  const importAll = async (reports: readonly ReportImport[]): Promise<readonly ImportAnswer[]> => {
    const results = await importReports({
      files: reports.map(({ path, marketplace, period }) => {
        const flags = { marketplace, frequency: period.frequency, period: periodKey(period), isStrict: true };
        return { path, source: 'search', flags };
      }),
      options: { ...TEST_OPTIONS, threads: 1 },
      publisher,
      dataDirectory,
      onProgress: () => {},
      now: () => clock.now,
      publishTogether: true,
    });
    world.batches.push(reports.length);
    return results.map(({ error, periods: [outcome] }, place): ImportAnswer => {
      const report = reports[place];
      if (!outcome || !report) {
        return {
          kind: 'fault',
          fault: error?.line === undefined ? 'machine' : 'unreadable',
          detail: error?.message ?? '',
        };
      }
      const name = `${placeName(report)} r${outcome.revision}`;
      if (outcome.status === 'published') published.set(name, (published.get(name) ?? 0) + 1);
      return { kind: 'imported', revision: outcome.revision, isUnchanged: outcome.status === 'unchanged' };
    });
  };
  const startServer = (): SimulatedServer => {
    const life = new Life();
    const client = new ReportsClient({
      amazonUrl: amazon.url,
      userAgent: 'keyrank/test',
      now: () => clock.now,
      onRate: noteRates(queue, (error) => log.push(String(error))),
    });
    const worker = new DownloadWorker({
      queue: life.guard(queue),
      client: life.guard(client),
      openKeys: () => SecretKeys.open(place),
      importReports: life.guardCall(importAll),
      listPublished: async () => (await publisher.readCatalog()).periods,
      onLate: (late, now) => tellLate(database.operator, late, { now, tracksMarketplace: late.marketplace === 'US' }),
      directory: join(dataDirectory, 'downloads'),
      maxBytes: 1e9,
      random: () => random.next(),
      onError: (error, about) => log.push(`${String(error)} ${JSON.stringify(about)}`),
      onStep: (download, answer) => log.push(describeStep(download, answer)),
    });
    return {
      step: (lane) => Promise.race([worker.step(lane), life.death]),
      plan: async () => void (await Promise.race([worker.plan(), life.death])),
      killWithin: (calls) => life.endAfter(calls),
      get isDead() {
        return life.isOver;
      },
    };
  };
  const servers = [startServer(), startServer()];
  const world: DownloadWorld = {
    bench,
    publisher,
    amazon,
    random,
    log,
    published,
    batches: [],
    deaths: 0,
    get now() {
      return clock.now;
    },
    set now(now: Date) {
      clock.now = now;
    },
    connect: async (given) => {
      const account = amazon.addAccount();
      const { clientId, clientSecret, refreshToken } = account;
      const id = randomUUID();
      const keys = await SecretKeys.open(place, { creates: true });
      const connection = { name: given.region, clientId, lookBackWeeks: 8, lookBackMonths: 3, since: null, ...given };
      await addConnection(database.operator, {
        given: { id, organizationId: null, ...connection },
        sealed: keys.seal(id, { clientSecret, refreshToken }),
      });
      return account;
    },
    startServer,
    advance: async (limit) => {
      const { rows } = await database.operator.query<{ at: Date | null }>(NEXT_DUE, [clock.now]);
      const at = rows[0]?.at;
      // Servers look every two seconds; what is due by then waits for that look.
      const next = at && at < limit ? new Date(at.getTime() + LOOK_EVERY_MS) : limit;
      clock.now = next > clock.now ? next : new Date(clock.now.getTime() + 1000);
    },
    run: async (until, isDone = async () => false) => {
      let plannedMs = 0;
      while (clock.now < until && !(await isDone())) {
        if (clock.now.getTime() - plannedMs > 6 * 3_600_000) {
          plannedMs = clock.now.getTime();
          await servers[0]?.plan();
        }
        let isBusy = false;
        const lanes = await listBusyLanes(database.operator, clock.now);
        for (const lane of lanes) {
          // An import takes longer than any other step, so that bodies gather meanwhile.
          if (lane === 'import' && lanes.length > 1 && random.next() < IMPORT_WAITS) continue;
          const index = random.below(servers.length);
          const server = servers[index] ?? startServer();
          if (random.next() < (options.deaths ?? 0)) server.killWithin(1 + random.below(8));
          isBusy = (await server.step(lane)) || isBusy;
          if (!server.isDead) continue;
          world.deaths += 1;
          servers[index] = startServer();
        }
        if (!isBusy) await world.advance(new Date(Math.min(until.getTime(), clock.now.getTime() + 6 * 3_600_000)));
      }
    },
    listDownloads: async () => {
      const { rows } = await database.operator.query(
        `SELECT marketplace || ' ' || frequency || ' ' || lpad(number::text, 2, '0') || '-' || year AS place, state, message,
           revision FROM downloads ORDER BY marketplace, frequency, end_date`,
      );
      return rows;
    },
    [Symbol.asyncDispose]: async () => {
      await amazon[Symbol.asyncDispose]();
      if (!options.bench) await bench[Symbol.asyncDispose]();
    },
  };
  return world;
}

export function placeName({ marketplace, period }: Pick<Download, 'marketplace' | 'period'>): string {
  return `${marketplace} ${period.frequency} ${periodKey(period)}`;
}

function describeStep(download: Download, answer: Answer): string {
  return `${placeName(download)} ${download.state}: ${JSON.stringify(answer)}`;
}

const NEXT_DUE = `SELECT min(at) AS at FROM (
  SELECT due_at AS at FROM downloads UNION ALL SELECT leased_until FROM downloads UNION ALL SELECT held_until FROM connections
  UNION ALL SELECT free_at - (burst - 1) * interval_ms * interval '1 millisecond' FROM connection_rates WHERE free_at > '-infinity') due
  WHERE at > $1`;

/** Lanes in which something may be due: the others are passed over, for the sake of time. */
async function listBusyLanes(pool: Workbench['database']['operator'], now: Date): Promise<readonly DownloadLane[]> {
  const { rows } = await pool.query<{ state: DownloadState }>(
    `SELECT DISTINCT state FROM downloads WHERE due_at <= $1 AND (leased_until IS NULL OR leased_until < $1)`,
    [now],
  );
  const due = new Set(rows.map(({ state }) => state));
  return LANES.filter((lane) => DOWNLOAD_LANES[lane].some((state) => due.has(state)));
}

/** The calls of one process, of which none happens after its end. */
class Life {
  #callsLeft = Number.POSITIVE_INFINITY;
  #end: (value: false) => void = () => {};
  isOver = false;
  readonly death = new Promise<false>((resolve) => {
    this.#end = resolve;
  });

  endAfter(calls: number): void {
    this.#callsLeft = Math.min(this.#callsLeft, calls);
  }

  guard<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name, object);
        return typeof value === 'function' ? this.guardCall(value.bind(object)) : value;
      },
    });
  }

  guardCall<Args extends unknown[], R>(call: (...args: Args) => Promise<R>): (...args: Args) => Promise<R> {
    return async (...args) => {
      await this.#pass();
      const result = await call(...args);
      // What it did has happened, but nobody hears of it.
      await this.#pass();
      return result;
    };
  }

  async #pass(): Promise<void> {
    if (!this.isOver) this.#callsLeft -= 0.5;
    if (this.#callsLeft > 0) return;
    this.isOver = true;
    this.#end(false);
    await new Promise(() => {});
  }
}
