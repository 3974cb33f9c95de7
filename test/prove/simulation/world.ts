// Everything outside of the code under simulation, made from one seed: time, a disk, a database, receivers, and the trouble
// that each of them makes. Which kinds of trouble there are, and how often, differs from seed to seed.
import { SeededRandom } from '../seeded-random.ts';
import { Disk } from './disk.ts';
import { ModelDatabase, type Notification } from './model-database.ts';
import type { ModelPool, ModelSession } from './model-pool.ts';
import type { PlantedFault } from './planted-faults.ts';
import { SimulatedProcess } from './simulated-process.ts';
import type { FileColumns, Tables } from './tables.ts';
import { VirtualClock } from './virtual-clock.ts';
import { openWire } from './wire.ts';

/** What may go wrong at any single call, with the highest chance of it. */
const MAX_CHANCES = {
  /** kill -9 of the process that calls. */
  kill: 0.02,
  /** EIO or ENOSPC; a failed write leaves a part, a failed fsync forgets. */
  disk: 0.04,
  /** The connection is cut before the statement arrives. */
  connection: 0.05,
  /** The connection is cut after the statement was carried out. */
  answer: 0.05,
  /** The statement is refused, the connection stays. */
  statement: 0.05,
  /** Nothing comes back, whether it was carried out or not. */
  hang: 0.01,
} as const;
export type FaultKind = keyof typeof MAX_CHANCES;

export interface PublishedVersion {
  readonly version: number;
  readonly periods: readonly Tables['rank_periods'][];
  readonly snapshots: readonly Tables['snapshot_files'][];
}

const TRACE_LINES = 60;
const MAX_TRACE_CHARACTERS = 140;
/** What statement_timeout says for jobs. */
const STATEMENT_TIMEOUT_MS = 5_000;

export class World {
  readonly random: SeededRandom;
  readonly clock = new VirtualClock();
  readonly disk: Disk;
  readonly database: ModelDatabase;
  readonly planted: PlantedFault | undefined;
  readonly processes = new Map<string, SimulatedProcess>();
  readonly sessions = new Set<ModelSession>();
  readonly subscribers = new Set<(notification: Notification) => void>();
  /** A process that is no more: what it asks for is never answered. */
  readonly ghost: SimulatedProcess;
  readonly violations: string[] = [];
  readonly #chances: Readonly<Record<FaultKind, number>>;
  readonly #trace: (readonly [elapsedMs: number, who: string, what: string])[] = [];
  /** Every version that was ever committed. */
  readonly history: PublishedVersion[] = [];
  areFaultsOn = false;
  faultCount = 0;
  isDatabaseDown = false;

  constructor(seed: number, planted: PlantedFault | undefined) {
    this.random = new SeededRandom(seed);
    this.planted = planted;
    this.disk = new Disk(this.random);
    this.disk.makeDirectories('/data');
    this.disk.sync('/');
    this.#chances = drawChances(this.random);
    this.database = new ModelDatabase({ nowMs: () => this.clock.nowMs, random: () => this.random.next() });
    this.database.limitWait = (giveUp) => this.clock.after(STATEMENT_TIMEOUT_MS, giveUp);
    this.database.onCommit = (notifications) => this.#committed(notifications);
    this.ghost = new SimulatedProcess(this, 'ghost');
    this.ghost.kill('never lived');
  }

  /** Whether this kind of trouble happens here and now. */
  strikes(kind: FaultKind): boolean {
    if (!this.areFaultsOn || this.random.next() >= this.#chances[kind]) return false;
    this.faultCount += 1;
    this.note('fault', kind);
    return true;
  }

  /** How long a call takes. Often so little that nothing else happens meanwhile. */
  drawDelayMs(): number {
    const chance = this.random.next();
    if (chance < 0.5) return 0;
    if (chance < 0.9 || !this.areFaultsOn) return 1 + this.random.below(4);
    return 1 + this.random.below(chance < 0.99 ? 200 : 6_000);
  }

  note(who: string, what: string): void {
    this.#trace.push([this.clock.elapsedMs, who, what]);
    if (this.#trace.length > TRACE_LINES * 2) this.#trace.splice(0, TRACE_LINES);
  }

  /** An invariant does not hold. The first one counts; what comes after it may follow from it. */
  violate(what: string): void {
    this.note('INVARIANT', what);
    this.violations.push(what);
  }

  get trace(): readonly string[] {
    return this.#trace
      .slice(-TRACE_LINES)
      .map(([ms, who, what]) => `${(ms / 1000).toFixed(3)} s ${who}: ${what.slice(0, MAX_TRACE_CHARACTERS)}`);
  }

  openPool(process: SimulatedProcess, maxConnections: number): ModelPool {
    return openWire(process, maxConnections);
  }

  /** Published files never change, and go only when nothing refers to them any more. */
  checkUntouched(diskPath: string, how: string): void {
    if (this.listPublished().some(({ path }) => diskPath === `/data/${path}`)) {
      this.violate(`the published file ${diskPath} was ${how}`);
    }
  }

  cutPower(): void {
    this.note('machine', 'power cut');
    for (const process of [...this.processes.values()]) process.kill('power cut');
    this.disk.cutPower();
  }

  restartDatabase(): void {
    this.note('database', 'restart');
    for (const session of [...this.sessions]) session.end();
    this.sessions.clear();
    this.isDatabaseDown = true;
    this.clock.after(this.random.below(4_000), () => {
      this.isDatabaseDown = false;
    });
  }

  /** One connection breaks, whatever it was doing; its client hears of it when it asks for something. */
  cutSession(): void {
    if (this.sessions.size === 0) return;
    const session = this.random.pick([...this.sessions]);
    this.note('database', 'cut a connection');
    session.end();
    this.sessions.delete(session);
  }

  #committed(notifications: readonly Notification[]): void {
    const version = this.database.list('rank_statistics')[0]?.version ?? 0;
    if (version !== (this.history.at(-1)?.version ?? 0)) {
      const periods = this.database.list('rank_periods');
      this.history.push({ version, periods, snapshots: this.database.list('snapshot_files') });
      this.#checkPublished();
    }
    for (const notification of notifications) for (const hear of this.subscribers) hear(notification);
  }

  /** Every file that the manifest vouches for. */
  listPublished(): readonly FileColumns[] {
    const tables = ['rank_periods', 'kept_revisions', 'dictionary_deltas', 'snapshot_files'] as const;
    return tables.flatMap((table): readonly FileColumns[] => this.database.list(table));
  }

  /** Whatever the manifest refers to is on the disk for good, from the moment of its commit. */
  #checkPublished(): void {
    for (const { path } of this.listPublished()) {
      if (!this.disk.isDurable(`/data/${path}`)) this.violate(`${path} was published, but a power cut could damage it`);
    }
  }
}

/** Each kind is left out of some worlds, so that the others are not always hidden behind it. */
function drawChances(random: SeededRandom): Readonly<Record<FaultKind, number>> {
  const kinds = Object.entries(MAX_CHANCES).map(([kind, most]) => [
    kind,
    random.below(2) === 0 ? 0 : most * random.next(),
  ]);
  return Object.fromEntries(kinds) as Record<FaultKind, number>;
}
