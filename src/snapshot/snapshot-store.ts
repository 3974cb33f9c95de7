// The rank store over snapshots: one generation per set is current, a publish swaps it in one step, and an old generation is
// freed when the last view on it closes.
import type { SearchPlan } from '../domain/search-plan.ts';
import type { SearchRow } from '../domain/search-row.ts';
import type {
  ChangeRow,
  ExportOptions,
  NewRow,
  RankPresenter,
  RankSet,
  RankView,
  ReadOptions,
  SearchPage,
  SearchPageOptions,
  SearchResult,
  SocialRow,
  TrendPage,
} from '../domain/store.ts';
import type { SuggestionPlan } from '../domain/suggestion.ts';
import type { ChangePlan, LatestRankPlan, NewPlan, SocialPlan } from '../domain/trend.ts';
import { type LoadedSnapshot, loadSnapshot, residentBytes } from './format/load.ts';
import { viewSnapshot } from './format/snapshot-view.ts';
import type { ExportPiece, ExportTask } from './threads/export-task.ts';
import { PageMemory } from './threads/page-memory.ts';
import type { SearchTask, TaskResult } from './threads/search-task.ts';
import { ThreadPool } from './threads/thread-pool.ts';

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

interface Pools {
  readonly search: ThreadPool<SearchTask, TaskResult>;
  readonly exports: ThreadPool<ExportTask, ExportPiece>;
  readonly pageMemory: PageMemory;
}

interface Generation {
  readonly id: number;
  readonly set: RankSet;
  readonly periods: RankView['periods'];
  readonly snapshot: LoadedSnapshot;
  openViews: number;
  isCurrent: boolean;
}

export class SnapshotStore implements AsyncDisposable {
  readonly #pools: Pools;
  readonly #generations = new Map<string, Generation>();
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
    return (await this.prepare(directory, options))();
  }

  /** Loads a snapshot; what is returned makes it the current one of its set. */
  async prepare(directory: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<() => RankSet> {
    const snapshot = await loadSnapshot({ directory, findOlder: (set) => this.#find(set)?.snapshot, signal });
    const { set, periods } = viewSnapshot(snapshot.manifest, snapshot.buffers);
    return () => {
      this.#lastId += 1;
      const generation: Generation = { id: this.#lastId, set, periods, snapshot, openViews: 0, isCurrent: true };
      this.#pools.search.attach(generation.id, snapshot);
      this.#pools.exports.attach(generation.id, snapshot);
      const older = this.#find(set);
      this.#generations.set(keyOf(set), generation);
      if (older) this.#retire(older);
      return set;
    };
  }

  /** Takes a set out of service, for example when its last period was withdrawn. */
  withdraw(set: RankSet): void {
    const generation = this.#find(set);
    if (!generation) return;
    this.#generations.delete(keyOf(set));
    this.#retire(generation);
  }

  get residentBytes(): number {
    return [...this.#generations.values()].reduce((sum, { snapshot }) => sum + residentBytes(snapshot), 0);
  }

  get load(): Pools['search']['load'] {
    return this.#pools.search.load;
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
    this.#generations.clear();
    await Promise.all([this.#pools.search, this.#pools.exports].map((pool) => pool[Symbol.asyncDispose]()));
  }

  #openView(generation: Generation, options: Pick<ViewParts, 'owner'> & Partial<ViewParts>): SnapshotRankView {
    const release = () => this.#release(generation);
    return new SnapshotRankView({ retail: undefined, ...options, pools: this.#pools, generation, release });
  }

  #find(set: RankSet): Generation | undefined {
    return this.#generations.get(keyOf(set));
  }

  #retire(generation: Generation): void {
    generation.isCurrent = false;
    if (generation.openViews === 0) this.#forget(generation);
  }

  #release(generation: Generation): void {
    generation.openViews -= 1;
    if (generation.openViews === 0 && !generation.isCurrent) this.#forget(generation);
  }

  #forget({ id }: Generation): void {
    this.#pools.search.detach(id);
    this.#pools.exports.detach(id);
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

  get set(): RankSet {
    return this.#generation.set;
  }

  get periods(): RankView['periods'] {
    return this.#generation.periods;
  }

  async search(plan: SearchPlan, options?: ReadOptions): Promise<SearchResult> {
    return (await this.#run({ kind: 'rows', plan }, options)).page;
  }

  async count(plan: SearchPlan, options?: ReadOptions): Promise<number> {
    return (await this.#run({ kind: 'count', plan }, options)).totalCount;
  }

  async *streamRows(plan: SearchPlan, options?: ReadOptions): AsyncGenerator<readonly SearchRow[]> {
    for (let done = 0; done < plan.limit; done += ROWS_PER_BATCH) {
      const limit = Math.min(ROWS_PER_BATCH, plan.limit - done);
      const { rows } = await this.search({ ...plan, offset: plan.offset + done, limit }, options);
      if (rows.length > 0) yield rows;
      if (rows.length < limit) return;
    }
  }

  async listChanges(plan: ChangePlan, options?: ReadOptions): Promise<TrendPage<ChangeRow>> {
    return (await this.#run({ kind: 'changes', plan }, options)).page;
  }

  async listSocialRanks(plan: SocialPlan, options?: ReadOptions): Promise<TrendPage<SocialRow>> {
    const { retail } = this;
    const retailSnapshotId = retail ? retail.#generation.id : undefined;
    return (await this.#run({ kind: 'social-ranks', plan, retailSnapshotId }, options)).page;
  }

  async listNewTerms(plan: NewPlan, options?: ReadOptions): Promise<TrendPage<NewRow>> {
    return (await this.#run({ kind: 'new-terms', plan }, options)).page;
  }

  async listLatestRanks(plan: LatestRankPlan, options?: ReadOptions): Promise<readonly (number | null)[]> {
    return (await this.#run({ kind: 'latest-ranks', plan }, options)).ranks;
  }

  async listTermRanks(plan: LatestRankPlan, options?: ReadOptions): Promise<readonly (readonly (number | null)[])[]> {
    return (await this.#run({ kind: 'term-ranks', plan }, options)).ranks;
  }

  async listMatches(
    query: { readonly plan: SearchPlan; readonly terms: readonly string[] },
    options?: ReadOptions,
  ): Promise<readonly boolean[]> {
    return (await this.#run({ kind: 'matches', ...query }, options)).matches;
  }

  async listSuggestions(plan: SuggestionPlan, options?: ReadOptions): Promise<readonly string[]> {
    return (await this.#run({ kind: 'suggestions', plan }, options)).terms;
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#release();
    this.retail?.[Symbol.dispose]();
  }

  async #searchPage(plan: SearchPlan, { signal, frame }: SearchPageOptions): Promise<SearchPage> {
    const receive = (result: TaskResult): SearchPage =>
      this.#pools.pageMemory.copy(resultOf('page', result).page, frame);
    const [snapshotId, owner] = [this.#generation.id, this.#owner];
    return await this.#pools.search.run({ kind: 'page', plan }, { snapshotId, owner, signal, receive });
  }

  async *#openExport(plan: SearchPlan, { file, signal, onRows }: ExportOptions): AsyncGenerator<Uint8Array> {
    lastExportId += 1;
    const exportId = lastExportId;
    const snapshotId = this.#generation.id;
    const pool = this.#pools.exports;
    try {
      await pool.run({ kind: 'open', exportId, plan, file }, { snapshotId, signal });
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

  async #run<Kind extends SearchTask['kind']>(
    task: Extract<SearchTask, { kind: Kind }>,
    { signal }: ReadOptions = {},
  ): Promise<Extract<TaskResult, { kind: Kind }>> {
    const [snapshotId, owner] = [this.#generation.id, this.#owner];
    return resultOf(task.kind, await this.#pools.search.run(task, { snapshotId, owner, signal }));
  }
}

function resultOf<Kind extends TaskResult['kind']>(
  kind: Kind,
  result: TaskResult,
): Extract<TaskResult, { kind: Kind }> {
  if (result.kind !== kind) throw new Error('the worker answered another question');
  return result as Extract<TaskResult, { kind: Kind }>;
}

function keyOf({ marketplace, frequency, source }: RankSet): string {
  return `${marketplace}/${frequency}/${source}`;
}
