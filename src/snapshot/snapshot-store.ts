// The rank store over snapshots: one generation per set is current, a publish swaps it in one step, and an old generation is
// freed when the last view on it closes.
import type { SearchPlan } from '../domain/search-plan.ts';
import type { SearchRow } from '../domain/search-row.ts';
import {
  type ExportOptions,
  type RankPresenter,
  type RankSet,
  type RankView,
  type ReadOptions,
  rankSetKey,
  type SearchPage,
  type SearchPageOptions,
} from '../domain/store.ts';
import type { ComputedWindows } from './computed-windows.ts';
import { loadSnapshot, residentBytes } from './format/load.ts';
import { closeRowFiles, openRowFiles } from './format/row-files.ts';
import type { SeasonBuffers } from './format/season-columns.ts';
import { viewSnapshot } from './format/snapshot-view.ts';
import type { SummaryBuffers } from './format/summaries.ts';
import { PageMemory, type WrittenPage } from './threads/page-memory.ts';
import type { Answer, Asked, Question } from './threads/search-worker.ts';
import { ThreadPool } from './threads/thread-pool.ts';
import type { ServedSnapshot } from './threads/worker-loop.ts';
import { type ComputingPools, openSeasons, openSummaries } from './window-tasks.ts';

export interface SnapshotStoreOptions {
  /** Threads that search; exports have one of their own. */
  readonly workerCount: number;
  /** Searches of one owner that may wait for a thread. */
  readonly maxQueued: number;
  /** The folder of the compiled workers; by default this file's. */
  readonly workerFolder?: URL;
  /** Called with the reason whenever a thread dies; another takes its place. */
  readonly onThreadDeath?: (error: unknown) => void;
}

/** A client that would wait longer for a thread is sent away. */
const MAX_WAIT_MS = 1_000;

interface Pools extends ComputingPools {
  readonly pageMemory: PageMemory;
}

interface Generation {
  readonly id: number;
  readonly set: RankSet;
  readonly periods: RankView['periods'];
  readonly snapshot: ServedSnapshot;
  readonly windows: ComputedWindows<SummaryBuffers>;
  readonly seasons: ComputedWindows<SeasonBuffers>;
  openViews: number;
  isCurrent: boolean;
}

/** A snapshot that is loaded and not current yet; one that never becomes it must be disposed of. */
export interface PreparedSnapshot extends AsyncDisposable {
  /** Makes it the current one of its set. */
  readonly publish: () => RankSet;
}

export class SnapshotStore implements AsyncDisposable {
  readonly #pools: Pools;
  readonly #generations = new Map<string, Generation>();
  /** Of generations that are forgotten. */
  readonly #closing = new Set<Promise<void>>();
  #lastId = 0;

  constructor(options: SnapshotStoreOptions) {
    const { workerCount, maxQueued, workerFolder = new URL('./threads/', import.meta.url), onThreadDeath } = options;
    const worker = (name: string): URL => new URL(`${name}.js`, workerFolder);
    this.#pools = {
      search: new ThreadPool({
        workerUrl: worker('search-worker'),
        workerCount,
        maxQueued,
        maxWaitMs: MAX_WAIT_MS,
        onThreadDeath,
      }),
      // Without a bound: whoever was let in must get the whole file.
      exports: new ThreadPool({
        workerUrl: worker('export-worker'),
        workerCount: 1,
        maxQueued: Number.POSITIVE_INFINITY,
        maxWaitMs: Number.POSITIVE_INFINITY,
        onThreadDeath,
      }),
      pageMemory: new PageMemory(),
    };
  }

  /** Loads a snapshot and makes it the current one of its set. Requests in flight finish on the one before. */
  async publish(directory: string, options: { readonly signal?: AbortSignal } = {}): Promise<RankSet> {
    return (await this.prepare(directory, options)).publish();
  }

  /** Loads a snapshot and summarizes the windows that the current one of its set has in use, so that nobody waits for them. */
  async prepare(directory: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<PreparedSnapshot> {
    const loaded = await loadSnapshot({ directory, findOlder: (set) => this.#find(set)?.snapshot, signal });
    const snapshot = { ...loaded, rowFiles: await openRowFiles(directory, loaded.manifest) };
    const { set, periods, slotDocuments } = viewSnapshot(snapshot.manifest, snapshot.buffers);
    this.#lastId += 1;
    const id = this.#lastId;
    const computed = { snapshotId: id, periods, slotCount: slotDocuments.length };
    const windows = openSummaries(this.#pools, computed);
    const seasons = openSeasons(this.#pools, computed);
    const generation: Generation = { id, set, periods, snapshot, windows, seasons, openViews: 0, isCurrent: true };
    const discard = () => closeRowFiles(snapshot.rowFiles);
    try {
      await this.#prepareWindows(generation, signal);
    } catch (error) {
      await discard();
      throw error;
    }
    return { publish: () => this.#publish(generation), [Symbol.asyncDispose]: discard };
  }

  /** Takes a set out of service, for example when its last period was withdrawn. */
  withdraw(set: RankSet): void {
    const generation = this.#find(set);
    if (!generation) return;
    this.#generations.delete(rankSetKey(set));
    this.#retire(generation);
  }

  get residentBytes(): number {
    const sizes = [...this.#generations.values()].map(
      ({ snapshot, windows, seasons }) => residentBytes(snapshot) + windows.residentBytes + seasons.residentBytes,
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  get load(): Pools['search']['load'] {
    return this.#pools.search.load;
  }

  /** How long a search would wait for a thread. */
  get waitMs(): number {
    return this.#pools.search.waitMs;
  }

  checkRoom(owner?: string): void {
    this.#pools.search.checkRoom(owner);
  }

  openView(set: RankSet, owner = ''): RankView | undefined {
    const generation = this.#find(set);
    const retail = set.source === 'social' ? this.#find({ ...set, source: 'search' }) : undefined;
    return generation && this.#openView(generation, { owner, retail: retail && this.#openView(retail, { owner }) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const generation of this.#generations.values()) this.#forget(generation);
    this.#generations.clear();
    await Promise.all([this.#pools.search, this.#pools.exports].map((pool) => pool[Symbol.asyncDispose]()));
    await Promise.all(this.#closing);
  }

  #publish(generation: Generation): RankSet {
    const { id, set, snapshot } = generation;
    for (const pool of [this.#pools.search, this.#pools.exports]) pool.attach(id, snapshot);
    generation.windows.attachAll();
    const older = this.#find(set);
    this.#generations.set(rankSetKey(set), generation);
    if (older) this.#retire(older);
    if (older) void findAgain(generation.seasons, older.seasons.sizes);
    return set;
  }

  #openView(generation: Generation, options: Pick<ViewParts, 'owner'> & Partial<ViewParts>): SnapshotRankView {
    const release = () => this.#release(generation);
    return new SnapshotRankView({ retail: undefined, ...options, pools: this.#pools, generation, release });
  }

  /** A generation that is not current yet is attached only for as long as this takes: it may never become it. */
  async #prepareWindows(generation: Generation, signal: AbortSignal | undefined): Promise<void> {
    const { id, set, snapshot, windows } = generation;
    const sizes = this.#find(set)?.windows.sizes ?? [];
    if (sizes.length === 0) return;
    this.#pools.search.attach(id, snapshot);
    try {
      for (const size of sizes) (await windows.hold(size, signal))[Symbol.dispose]();
    } catch {
      // Data that is published matters more than windows: what is missing is computed by the first who asks.
      signal?.throwIfAborted();
    } finally {
      await this.#pools.search.detach(id);
    }
  }

  #find(set: RankSet): Generation | undefined {
    return this.#generations.get(rankSetKey(set));
  }

  #retire(generation: Generation): void {
    generation.isCurrent = false;
    if (generation.openViews === 0) this.#forget(generation);
  }

  #release(generation: Generation): void {
    generation.openViews -= 1;
    if (generation.openViews === 0 && !generation.isCurrent) this.#forget(generation);
  }

  /** Its files are closed when no thread reads from them any more. */
  #forget({ id, snapshot }: Generation): void {
    const { search, exports } = this.#pools;
    const closed = Promise.all([search.detach(id), exports.detach(id)])
      .then(() => closeRowFiles(snapshot.rowFiles))
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }
}

/** Finds seasons that were in use, behind searches: it takes too long to hold up what is published. */
async function findAgain(seasons: Generation['seasons'], sizes: readonly number[]): Promise<void> {
  try {
    for (const size of sizes) (await seasons.hold(size))[Symbol.dispose]();
  } catch {
    // The generation is gone, or the store: the next who asks finds them.
  }
}

/** Rows that are read at a time for a stream of them. */
const ROWS_PER_BATCH = 1000;

let lastExportId = 0;

interface ViewParts {
  readonly pools: Pools;
  readonly generation: Generation;
  readonly owner: string;
  readonly retail: SnapshotRankView | undefined;
  readonly release: () => void;
}

class SnapshotRankView implements RankView {
  readonly #pools: Pools;
  readonly #generation: Generation;
  readonly #owner: string;
  readonly #release: () => void;
  readonly retail: SnapshotRankView | undefined;
  readonly presenter: RankPresenter = {
    searchPage: (plan, options) => this.#searchPage(plan, options),
    openExport: (plan, options) => this.#openExport(plan, options),
  };
  #isOpen = true;

  constructor({ pools, generation, owner, retail, release }: ViewParts) {
    this.#pools = pools;
    this.#generation = generation;
    this.#owner = owner;
    this.retail = retail;
    this.#release = release;
    generation.openViews += 1;
  }

  get snapshotId(): number {
    return this.#generation.id;
  }

  get set(): RankSet {
    return this.#generation.set;
  }

  get periods(): RankView['periods'] {
    return this.#generation.periods;
  }

  readonly search: RankView['search'] = (plan, options) => this.#askSummarized('search', plan, options);
  readonly count: RankView['count'] = (plan, options) => this.#askSummarized('count', plan, options);
  readonly listChanges: RankView['listChanges'] = (plan, options) => this.#ask('listChanges', plan, options);
  readonly listSocialRanks: RankView['listSocialRanks'] = (plan, options) =>
    this.#ask('listSocialRanks', { plan, retailSnapshotId: this.retail?.snapshotId }, options);
  readonly listNewTerms: RankView['listNewTerms'] = (plan, options) =>
    this.#askSummarized('listNewTerms', plan, options);
  readonly listSeasonal: RankView['listSeasonal'] = async (plan, options) => {
    using _seasons = await this.#generation.seasons.hold(plan.window.length, options?.signal);
    return await this.#ask('listSeasonal', plan, options);
  };
  readonly listRoots: RankView['listRoots'] = async (plan, options) => {
    using _summaries = await this.#generation.windows.hold(plan.search.window.length, options?.signal);
    return await this.#ask('listRoots', plan, options);
  };
  readonly listLatestRanks: RankView['listLatestRanks'] = (plan, options) =>
    this.#ask('listLatestRanks', plan, options);
  readonly listTermRanks: RankView['listTermRanks'] = (plan, options) => this.#ask('listTermRanks', plan, options);
  readonly listMatches: RankView['listMatches'] = async (query, options) => {
    const { window, filters } = query.plan;
    // The only filter that looks at what is summarized.
    using _summaries = filters.firstSeenSince && (await this.#generation.windows.hold(window.length, options?.signal));
    return await this.#ask('listMatches', query, options);
  };
  readonly listSuggestions: RankView['listSuggestions'] = (plan, options) =>
    this.#ask('listSuggestions', plan, options);
  readonly listTermPeriods: RankView['listTermPeriods'] = (plan, options) =>
    this.#ask('listTermPeriods', plan, options);
  readonly findHolder: RankView['findHolder'] = (plan, options) => this.#ask('findHolder', plan, options);
  readonly listHeldKeywords: RankView['listHeldKeywords'] = (plan, options) =>
    this.#ask('listHeldKeywords', plan, options);
  readonly compareProducts: RankView['compareProducts'] = (plan, options) =>
    this.#ask('compareProducts', plan, options);
  readonly listProductChanges: RankView['listProductChanges'] = (plan, options) =>
    this.#ask('listProductChanges', plan, options);

  async *streamRows(plan: SearchPlan, options?: ReadOptions): AsyncGenerator<readonly SearchRow[]> {
    for (let done = 0; done < plan.limit; done += ROWS_PER_BATCH) {
      const limit = Math.min(ROWS_PER_BATCH, plan.limit - done);
      const { rows } = await this.search({ ...plan, offset: plan.offset + done, limit }, options);
      if (rows.length > 0) yield rows;
      if (rows.length < limit) return;
    }
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#release();
    this.retail?.[Symbol.dispose]();
  }

  async #searchPage(plan: SearchPlan, { signal, frame }: SearchPageOptions): Promise<SearchPage> {
    const receive = (page: WrittenPage): SearchPage => this.#pools.pageMemory.copy(page, frame);
    return await this.#askSummarized('searchPage', plan, { signal }, receive);
  }

  async *#openExport(plan: SearchPlan, { file, signal, onRows }: ExportOptions): AsyncGenerator<Uint8Array> {
    lastExportId += 1;
    const exportId = lastExportId;
    const { snapshotId } = this;
    const pool = this.#pools.exports;
    try {
      {
        using _summaries = await this.#generation.windows.hold(plan.window.length, signal);
        await pool.run({ kind: 'open', exportId, plan, file }, { snapshotId, signal });
      }
      for (;;) {
        const { bytes, rowCount } = await pool.run({ kind: 'take', exportId }, { snapshotId, signal });
        onRows?.(rowCount);
        if (!bytes) return;
        yield bytes;
      }
    } finally {
      // A thread or a pool that is gone has closed it already.
      await pool.run({ kind: 'close', exportId }, { snapshotId }).catch(() => undefined);
    }
  }

  /** For questions whose answer shows, or is ordered by, what is summarized over the window. */
  async #askSummarized<Kind extends 'search' | 'searchPage' | 'count' | 'listNewTerms', Received = Answer<Kind>>(
    kind: Kind,
    asked: Asked<Kind>,
    options?: ReadOptions,
    receive?: (answer: Answer<Kind>) => Received,
  ): Promise<Received> {
    const held = this.#generation.windows.hold(asked.window.length, options?.signal);
    // In the same turn where nothing has to be waited for: who asks first is first in the queue.
    using _summaries = held instanceof Promise ? await held : held;
    return await this.#ask(kind, asked, options, receive);
  }

  async #ask<Kind extends Question, Received = Answer<Kind>>(
    kind: Kind,
    asked: Asked<Kind>,
    { signal }: ReadOptions = {},
    receive = (answer: Answer<Kind>) => answer as Received,
  ): Promise<Received> {
    const options = { snapshotId: this.snapshotId, owner: this.#owner, signal };
    // A thread answers a question of this kind with an answer of this kind.
    return await this.#pools.search.run(
      { kind, asked },
      { ...options, receive: (answer: Answer<Question>) => receive(answer as Answer<Kind>) },
    );
  }
}
