// One server: what boot.ts starts of publishing and delivery, wired as boot.ts does it. When its process dies it is started
// again, as a supervisor would.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Period } from '../../../src/domain/period.ts';
import type { RankSet, RankView } from '../../../src/domain/store.ts';
import { sweepLeftovers } from '../../../src/ingest/publish/file-publisher.ts';
import { rebuildDamagedSnapshots, rebuildOutdatedSnapshots } from '../../../src/ingest/publish/outdated-snapshots.ts';
import { openPublicationQueue } from '../../../src/postgres/publications.ts';
import { DELIVERIES_CHANNEL, openDeliveryQueue } from '../../../src/postgres/webhook-deliveries.ts';
import { DamagedSnapshotError, findManifest } from '../../../src/snapshot/format/format.ts';
import { followVersions, loadManifest, loadManifestVersion } from '../../../src/snapshot/manifest/manifest-rows.ts';
import { ServedRanks } from '../../../src/snapshot/served-ranks.ts';
import type { PreparedSnapshot } from '../../../src/snapshot/snapshot-store.ts';
import { startDeliveryWorker } from '../../../src/watch/delivery-worker.ts';
import { startPublicationWorker } from '../../../src/watch/publication-worker.ts';
import type { Notification } from './model-database.ts';
import { POISON } from './population.ts';
import type { Receivers } from './receivers.ts';
import { buildSnapshot, KEEP_REVISIONS_MS, MARKETPLACE, type Report, rankFileName } from './simulated-import.ts';
import { SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

/** As boot.ts says. */
const JOB_CONNECTIONS = 4;

/** A snapshot as it was loaded: which segments it is made of, and their ranks. */
interface LoadedSnapshot {
  readonly set: RankSet;
  readonly segments: readonly string[];
  readonly reports: readonly Report[];
}

export class SimulatedServer {
  readonly #world: World;
  readonly #receivers: Receivers;
  readonly #name: string;
  #starts = 0;
  #process: SimulatedProcess;
  #isListening = false;
  #subscribers: Subscriber[] = [];
  /** By set, of the process that runs now. */
  loaded = new Map<string, LoadedSnapshot>();
  ranks: ServedRanks | undefined;

  constructor(world: World, receivers: Receivers, name: string) {
    this.#world = world;
    this.#receivers = receivers;
    this.#name = name;
    this.#process = world.ghost;
    world.subscribers.add((notification) => this.#hear(notification));
    this.#start();
  }

  get name(): string {
    return this.#process.name;
  }

  kill(reason: string): void {
    this.#process.kill(reason);
  }

  /** The connection by which it hears of changes breaks, and is there again a moment later. */
  loseListener(): void {
    if (!this.#isListening) return;
    const process = this.#process;
    this.#isListening = false;
    this.#world.note(process.name, 'lost its listener');
    this.#world.clock.after(500 + this.#world.random.below(4_000), () => {
      if (!process.isAlive) return;
      this.#isListening = true;
      for (const { onRestored } of this.#subscribers) onRestored?.().catch((error) => this.#onError(process, error));
    });
  }

  #start(): void {
    this.#starts += 1;
    const process = new SimulatedProcess(this.#world, `${this.#name}.${this.#starts}`);
    this.#process = process;
    this.ranks = undefined;
    this.loaded = new Map();
    this.#subscribers = [];
    process.onDeath(() => {
      this.ranks = undefined;
      this.#isListening = false;
      this.#world.clock.after(500 + this.#world.random.below(10_000), () => this.#start());
    });
    this.#boot(process).catch((error: unknown) => process.kill(`did not start: ${String(error)}`));
  }

  async #boot(process: SimulatedProcess): Promise<void> {
    const { clock, random, planted } = this.#world;
    const { dataDirectory } = process;
    const pool = this.#world.openPool(process, JOB_CONNECTIONS).asPool;
    const now = () => clock.now();
    const onError = (error: unknown) => this.#onError(process, error);
    this.#isListening = true;
    const rebuild = { pool, dataDirectory, buildSnapshot, now, onRebuild: () => {} };
    await rebuildOutdatedSnapshots(rebuild);
    const ranks = await ServedRanks.open({
      store: storeOf(process, this.loaded),
      dataDirectory,
      loadManifest: () => loadManifest(pool),
      repair: () => rebuildDamagedSnapshots(rebuild),
      onError,
      nowMs: () => clock.nowMs,
      random: () => random.next(),
    });
    process.onDeath(() => void ranks[Symbol.asyncDispose]());
    const following = await followVersions({
      loadVersion: () => loadManifestVersion(pool),
      listener: { subscribe: async (subscriber) => void this.#subscribers.push(subscriber as Subscriber) },
      onVersion: (version) => ranks.hear(version),
    });
    process.onDeath(() => following[Symbol.dispose]());
    this.ranks = ranks;
    const onSetAside = (about: object) => this.#onError(process, `set aside ${JSON.stringify(about)}`);
    const queue = openDeliveryQueue(pool, onSetAside);
    const deliveries = startDeliveryWorker({
      queue: planted?.deliveries?.(queue) ?? queue,
      sender: { send: (attempt) => this.#receivers.send(process, attempt) },
      now,
      random: () => random.next(),
      onError,
    });
    const publications = openPublicationQueue(pool, onSetAside);
    const worker = startPublicationWorker({
      queue: planted?.publications?.(publications) ?? publications,
      ranks,
      trackedMarketplace: MARKETPLACE,
      onError,
    });
    process.onDeath(() => {
      deliveries.stop();
      worker.stop();
    });
    this.#subscribers.push({ channel: DELIVERIES_CHANNEL, onNotification: async () => deliveries.wake() });
    ranks.subscribe(() => worker.wake());
    sweepLeftovers({ pool, dataDirectory, keepRevisionsMs: KEEP_REVISIONS_MS, now }).catch(onError);
  }

  #hear(notification: Notification): void {
    const process = this.#process;
    if (!this.#isListening) return;
    this.#world.clock.after(this.#world.drawDelayMs(), () => {
      if (!process.isAlive || !this.#isListening) return;
      for (const { channel, onNotification } of this.#subscribers) {
        if (channel === notification.channel) onNotification().catch((error) => this.#onError(process, error));
      }
    });
  }

  #onError(process: SimulatedProcess, error: unknown): void {
    this.#world.note(process.name, `logged: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface Subscriber {
  readonly channel: string;
  readonly onNotification: () => Promise<void>;
  readonly onRestored?: () => Promise<void>;
}

/** Stands for SnapshotStore: reads the files of a snapshot, swaps it in, and answers from it. */
function storeOf(process: SimulatedProcess, loaded: Map<string, LoadedSnapshot>) {
  return {
    prepare: async (directory: string): Promise<PreparedSnapshot> => {
      const manifest = await findManifest(directory);
      if (!manifest) throw new DamagedSnapshotError(`${directory} holds no snapshot`);
      const { marketplace, frequency, source } = manifest;
      const set: RankSet = { marketplace, frequency, source };
      const reports: Report[] = [];
      for (const { segment } of manifest.periods) {
        reports.push(JSON.parse(await readFile(join(directory, rankFileName(segment)), 'utf8')) as Report);
      }
      const publish = (): RankSet => {
        loaded.set(keyOf(set), { set, segments: manifest.periods.map(({ segment }) => segment), reports });
        return set;
      };
      return { publish, [Symbol.asyncDispose]: async () => {} };
    },
    withdraw: (set: RankSet) => {
      loaded.delete(keyOf(set));
    },
    checkRoom: () => {},
    openView: (set: RankSet): RankView | undefined => {
      const snapshot = loaded.get(keyOf(set));
      return snapshot && viewOf(process, snapshot);
    },
  };
}

function viewOf(process: SimulatedProcess, { set, reports }: LoadedSnapshot): RankView {
  const rankIn = (term: string, period: Period) =>
    reports.find((report) => report.period.year === period.year && report.period.number === period.number)?.ranks[term];
  const view = {
    set,
    periods: reports.map(({ period }) => period),
    listTermRanks: (plan: { readonly terms: readonly string[]; readonly window: readonly Period[] }) =>
      process.call('look up ranks', () => {
        if (plan.terms.includes(POISON)) throw new Error('poison');
        return plan.terms.map((term) => plan.window.map((period) => rankIn(term, period) ?? null));
      }),
    [Symbol.dispose]: () => {},
  };
  return view as unknown as RankView;
}

function keyOf({ marketplace, source, frequency }: RankSet): string {
  return `${marketplace}/${source}/${frequency}`;
}
