// The rank store over snapshots: one generation per set is current, a publish swaps it in one step, and an old generation is
// freed when the last view on it closes.
import type { SearchPlan } from '../domain/search-plan.ts';
import type {
  ChangeRow,
  NewRow,
  RankSet,
  RankStore,
  RankView,
  SearchPage,
  SearchRow,
  SocialRow,
  TrendPage,
} from '../domain/store.ts';
import type { SuggestionPlan } from '../domain/suggestion.ts';
import type { ChangePlan, LatestRankPlan, NewPlan, SocialPlan } from '../domain/trend.ts';
import { type LoadedSnapshot, loadSnapshot, residentBytes } from './load.ts';
import { SearchPool, type SearchPoolOptions } from './search-pool.ts';
import type { SearchTask, TaskResult } from './search-task.ts';
import { viewSnapshot } from './snapshot-view.ts';

interface Generation {
  readonly id: number;
  readonly set: RankSet;
  readonly periods: RankView['periods'];
  readonly snapshot: LoadedSnapshot;
  openViews: number;
  isCurrent: boolean;
}

/** Rows in one message from a worker: a search that comes meanwhile waits for one batch, and an open export holds one. */
const ROWS_PER_BATCH = 100;

export class SnapshotStore implements RankStore {
  readonly #pool: SearchPool;
  readonly #generations = new Map<string, Generation>();
  #lastId = 0;

  constructor(options: SearchPoolOptions) {
    this.#pool = new SearchPool(options);
  }

  /** Loads a snapshot and makes it the current one of its set. Requests in flight finish on the one before. */
  async publish(directory: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<RankSet> {
    const snapshot = await loadSnapshot({ directory, findOlder: (set) => this.#find(set)?.snapshot, signal });
    const { set, periods } = viewSnapshot(snapshot.manifest, snapshot.buffers);
    this.#lastId += 1;
    const generation: Generation = { id: this.#lastId, set, periods, snapshot, openViews: 0, isCurrent: true };
    this.#pool.attach(generation.id, snapshot);
    const older = this.#find(set);
    this.#generations.set(keyOf(set), generation);
    if (older) this.#retire(older);
    return set;
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

  get load(): SearchPool['load'] {
    return this.#pool.load;
  }

  listSets(): readonly RankSet[] {
    return [...this.#generations.values()].map(({ set }) => set);
  }

  openView(set: RankSet): RankView | undefined {
    const generation = this.#find(set);
    return generation && new SnapshotRankView(this.#pool, generation, () => this.#release(generation));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#generations.clear();
    await this.#pool[Symbol.asyncDispose]();
  }

  #find(set: RankSet): Generation | undefined {
    return this.#generations.get(keyOf(set));
  }

  #retire(generation: Generation): void {
    generation.isCurrent = false;
    if (generation.openViews === 0) this.#pool.detach(generation.id);
  }

  #release(generation: Generation): void {
    generation.openViews -= 1;
    if (generation.openViews === 0 && !generation.isCurrent) this.#pool.detach(generation.id);
  }
}

class SnapshotRankView implements RankView {
  readonly #pool: SearchPool;
  readonly #generation: Generation;
  readonly #release: () => void;
  #isOpen = true;

  constructor(pool: SearchPool, generation: Generation, release: () => void) {
    this.#pool = pool;
    this.#generation = generation;
    this.#release = release;
    generation.openViews += 1;
  }

  get set(): RankSet {
    return this.#generation.set;
  }

  get periods(): RankView['periods'] {
    return this.#generation.periods;
  }

  async searchPage(plan: SearchPlan, { signal }: { readonly signal?: AbortSignal }): Promise<SearchPage> {
    return (await this.#run({ kind: 'page', plan }, signal)).page;
  }

  async *listRows(
    plan: SearchPlan,
    { signal }: { readonly signal?: AbortSignal },
  ): AsyncGenerator<readonly SearchRow[]> {
    const found = await this.#run({ kind: 'documents', plan }, signal);
    for (let from = 0; from < found.documents.length; from += ROWS_PER_BATCH) {
      // Reading a batch, and what the caller then does with it, takes time from searches.
      await this.#pool.giveWay();
      const documents = found.documents.slice(from, from + ROWS_PER_BATCH);
      yield (await this.#run({ kind: 'rows', plan, documents }, signal)).rows;
    }
  }

  async listChanges(plan: ChangePlan, { signal }: { readonly signal?: AbortSignal }): Promise<TrendPage<ChangeRow>> {
    return (await this.#run({ kind: 'changes', plan }, signal)).page;
  }

  async listSocialRanks(
    plan: SocialPlan,
    { retail, signal }: { readonly retail: RankView | undefined; readonly signal?: AbortSignal },
  ): Promise<TrendPage<SocialRow>> {
    const retailSnapshotId = retail instanceof SnapshotRankView ? retail.#generation.id : undefined;
    return (await this.#run({ kind: 'social-ranks', plan, retailSnapshotId }, signal)).page;
  }

  async listNewTerms(plan: NewPlan, { signal }: { readonly signal?: AbortSignal }): Promise<TrendPage<NewRow>> {
    return (await this.#run({ kind: 'new-terms', plan }, signal)).page;
  }

  async listLatestRanks(
    plan: LatestRankPlan,
    { signal }: { readonly signal?: AbortSignal },
  ): Promise<readonly (number | null)[]> {
    return (await this.#run({ kind: 'latest-ranks', plan }, signal)).ranks;
  }

  async listTermRanks(
    plan: LatestRankPlan,
    { signal }: { readonly signal?: AbortSignal },
  ): Promise<readonly (readonly (number | null)[])[]> {
    return (await this.#run({ kind: 'term-ranks', plan }, signal)).ranks;
  }

  async listMatches(
    query: { readonly plan: SearchPlan; readonly terms: readonly string[] },
    { signal }: { readonly signal?: AbortSignal },
  ): Promise<readonly boolean[]> {
    return (await this.#run({ kind: 'matches', ...query }, signal)).matches;
  }

  async listSuggestions(
    plan: SuggestionPlan,
    { signal }: { readonly signal?: AbortSignal },
  ): Promise<readonly string[]> {
    return (await this.#run({ kind: 'suggestions', plan }, signal)).terms;
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#release();
  }

  async #run<Kind extends SearchTask['kind']>(
    task: Extract<SearchTask, { kind: Kind }>,
    signal: AbortSignal | undefined,
  ): Promise<Extract<TaskResult, { kind: Kind }>> {
    const result = await this.#pool.run(task, { snapshotId: this.#generation.id, signal });
    if (result.kind !== task.kind) throw new Error('the worker answered another question');
    return result as Extract<TaskResult, { kind: Kind }>;
  }
}

function keyOf({ marketplace, frequency, source }: RankSet): string {
  return `${marketplace}/${frequency}/${source}`;
}
