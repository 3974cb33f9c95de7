// The oracle as an engine: the whole contract over plain objects. It answers a moment after it is asked, as engines do.
import { tmpdir } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ComparePlan, HeldKeywordPlan, HolderPlan, TermHistoryPlan } from '../../src/domain/holder.ts';
import { comparePeriods, type IsoDate, type Period } from '../../src/domain/period.ts';
import { checkWindow } from '../../src/domain/plan.ts';
import {
  type BatchOptions,
  isAt,
  type PeriodRow,
  type PeriodRows,
  type PublicationBatch,
  type RankPublisher,
  type RevisionCatalog,
  type Verification,
} from '../../src/domain/rank-publisher.ts';
import type { RootPlan } from '../../src/domain/root.ts';
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';
import type { SeasonPlan } from '../../src/domain/season.ts';
import type {
  ChangeRow,
  KeptRevision,
  NewRow,
  PeriodPlace,
  PublishedPeriod,
  RankSet,
  RankStore,
  RankView,
  ReadOptions,
  RootRow,
  SearchResult,
  SeasonRow,
  SocialRow,
  TrendPage,
} from '../../src/domain/store.ts';
import type { SuggestionPlan } from '../../src/domain/suggestion.ts';
import type { ProductChangePlan, ProductChanges } from '../../src/domain/tracked-product.ts';
import type { ChangePlan, LatestRankPlan, NewPlan, SocialPlan } from '../../src/domain/trend.ts';
import type { TestData, TestRow } from '../support/rank-data.ts';
import type { PublishingStore, StoreData, TestStore } from './engines.ts';
import { expectedComparison, expectedHeldKeywords, expectedHolder, expectedTermPeriods } from './holder-oracle.ts';
import { searchEverything } from './oracle.ts';
import { expectedProductChanges } from './product-change-oracle.ts';
import { expectedRoots } from './root-oracle.ts';
import { expectedSeasonal } from './season-oracle.ts';
import { expectedMatches, expectedSuggestions, expectedTermRanks } from './term-oracle.ts';
import { expectedChanges, expectedLatestRanks, expectedNewTerms, expectedSocialRanks } from './trend-oracle.ts';

const ROWS_PER_BATCH = 3;
const NOTHING: TestData = { frequency: 'monthly', periods: [] };

class OracleView implements RankView {
  readonly set: RankSet;
  readonly retail: RankView | undefined;
  readonly periods: readonly Period[];
  readonly #data: TestData;
  readonly #retailData: TestData;

  constructor(set: RankSet, data: TestData, retail: TestData | undefined) {
    this.set = set;
    this.#data = data;
    this.#retailData = retail ?? NOTHING;
    this.periods = data.periods.map(({ period }) => period).toSorted(comparePeriods);
    this.retail = retail && new OracleView({ ...set, source: 'search' }, retail, undefined);
  }

  search(plan: SearchPlan, options?: ReadOptions): Promise<SearchResult> {
    return this.#ask(plan, options, () => {
      const rows = searchEverything(this.#data, plan);
      return { totalCount: rows.length, rows: rows.slice(plan.offset, plan.offset + plan.limit) };
    });
  }

  count(plan: SearchPlan, options?: ReadOptions): Promise<number> {
    return this.#ask(plan, options, () => searchEverything(this.#data, plan).length);
  }

  async *streamRows(plan: SearchPlan, options?: ReadOptions): AsyncGenerator<readonly SearchRow[]> {
    const { rows } = await this.search(plan, options);
    for (let done = 0; done < rows.length; done += ROWS_PER_BATCH) {
      yield rows.slice(done, done + ROWS_PER_BATCH);
      throwIfAborted(options);
    }
  }

  listChanges(plan: ChangePlan, options?: ReadOptions): Promise<TrendPage<ChangeRow>> {
    return this.#ask(plan, options, () => expectedChanges(this.#data, plan));
  }

  listSocialRanks(plan: SocialPlan, options?: ReadOptions): Promise<TrendPage<SocialRow>> {
    return this.#ask(plan, options, () => expectedSocialRanks(this.#data, plan, this.#retailData));
  }

  listNewTerms(plan: NewPlan, options?: ReadOptions): Promise<TrendPage<NewRow>> {
    return this.#ask(plan, options, () => expectedNewTerms(this.#data, plan));
  }

  listSeasonal(plan: SeasonPlan, options?: ReadOptions): Promise<TrendPage<SeasonRow>> {
    return this.#ask(plan, options, () => expectedSeasonal(this.#data, plan));
  }

  listRoots(plan: RootPlan, options?: ReadOptions): Promise<TrendPage<RootRow>> {
    return this.#ask(plan.search, options, () => expectedRoots(this.#data, plan));
  }

  listLatestRanks(plan: LatestRankPlan, options?: ReadOptions): Promise<readonly (number | null)[]> {
    return this.#ask(plan, options, () => expectedLatestRanks(this.#data, plan));
  }

  listTermRanks(plan: LatestRankPlan, options?: ReadOptions): Promise<readonly (readonly (number | null)[])[]> {
    return this.#ask(plan, options, () => expectedTermRanks(this.#data, plan));
  }

  listMatches(
    { plan, terms }: { readonly plan: SearchPlan; readonly terms: readonly string[] },
    options?: ReadOptions,
  ): Promise<readonly boolean[]> {
    return this.#ask(plan, options, () => expectedMatches(this.#data, plan, terms));
  }

  listSuggestions(plan: SuggestionPlan, options?: ReadOptions): Promise<readonly string[]> {
    return this.#ask(plan, options, () => expectedSuggestions(this.#data, plan));
  }

  listTermPeriods(plan: TermHistoryPlan, options?: ReadOptions): ReturnType<RankView['listTermPeriods']> {
    return this.#ask(plan, options, () => expectedTermPeriods(this.#data, plan));
  }

  findHolder(plan: HolderPlan, options?: ReadOptions): ReturnType<RankView['findHolder']> {
    return this.#ask(plan, options, () => expectedHolder(this.#data, plan));
  }

  listHeldKeywords(plan: HeldKeywordPlan, options?: ReadOptions): ReturnType<RankView['listHeldKeywords']> {
    return this.#ask(plan, options, () => expectedHeldKeywords(this.#data, plan));
  }

  listProductChanges(plan: ProductChangePlan, options?: ReadOptions): Promise<readonly ProductChanges[]> {
    return this.#ask(plan, options, () => expectedProductChanges(this.#data, plan));
  }

  compareProducts(plan: ComparePlan, options?: ReadOptions): ReturnType<RankView['compareProducts']> {
    return this.#ask(plan, options, () => expectedComparison(this.#data, plan));
  }

  [Symbol.dispose](): void {}

  async #ask<T>(
    { window }: { readonly window: readonly Period[] },
    options: ReadOptions | undefined,
    answer: () => T,
  ): Promise<T> {
    throwIfAborted(options);
    checkWindow(window, this.periods);
    await nextTurn();
    throwIfAborted(options);
    return answer();
  }
}

function throwIfAborted(options: ReadOptions | undefined): void {
  if (options?.signal?.aborted) throw options.signal.reason;
}

/** A published period with its rows. */
interface Published {
  readonly meta: PublishedPeriod;
  readonly rows: readonly TestRow[];
}

interface State {
  readonly version: number;
  readonly computedAt: Date | null;
  readonly published: readonly Published[];
  readonly kept: readonly { readonly revision: KeptRevision; readonly rows: readonly TestRow[] }[];
}

class OracleStore implements RankStore {
  state: State = { version: 0, computedAt: null, published: [], kept: [] };
  readonly #listeners: (() => void)[] = [];
  readonly #data = new WeakMap<State, Map<string, TestData>>();
  readonly #catalogs = new WeakMap<State, RevisionCatalog>();

  get catalog(): RevisionCatalog {
    const known = this.#catalogs.get(this.state) ?? this.#readCatalog();
    this.#catalogs.set(this.state, known);
    return known;
  }

  #readCatalog(): RevisionCatalog {
    const { version, computedAt, published, kept } = this.state;
    const periods = published.map(({ meta }) => meta).toSorted((a, b) => comparePeriods(a.period, b.period));
    const totalDataPoints = periods.reduce((sum, { dataPoints }) => sum + dataPoints, 0);
    return { version, computedAt, periods, totalDataPoints, keptRevisions: kept.map(({ revision }) => revision) };
  }

  show(state: State): void {
    this.state = state;
    for (const listener of this.#listeners) listener();
  }

  subscribe(listener: () => void): void {
    this.#listeners.push(listener);
  }

  checkRoom(): void {}

  openView(set: RankSet): RankView | undefined {
    const data = this.#dataOf(set);
    const retail = set.source === 'social' ? this.#dataOf({ ...set, source: 'search' }) : undefined;
    return data && new OracleView(set, data, retail);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** One object for one state, which the oracle remembers what it found out about. */
  #dataOf({ marketplace, frequency, source }: RankSet): TestData | undefined {
    const known = this.#data.get(this.state) ?? new Map<string, TestData>();
    this.#data.set(this.state, known);
    const key = `${marketplace} ${frequency} ${source}`;
    const periods = this.state.published
      .filter(({ meta }) => `${meta.marketplace} ${meta.period.frequency} ${meta.source}` === key)
      .map(({ meta, rows }) => ({ period: meta.period, rows }));
    const data = known.get(key) ?? { frequency, periods };
    known.set(key, data);
    return periods.length > 0 ? data : undefined;
  }
}

export async function openOracle(data: StoreData): Promise<TestStore> {
  const store = new OracleStore();
  const replace = async ({ search, social }: StoreData) =>
    store.show({
      ...store.state,
      version: store.state.version + 1,
      computedAt: new Date(),
      published: [...listPublished(search, 'search'), ...listPublished(social, 'social')],
    });
  await replace(data);
  return { store, replace, [Symbol.asyncDispose]: async () => {} };
}

/** Data of tests as if it had been imported. */
export function listPublished(data: TestData | undefined, source: RankSet['source']): readonly Published[] {
  return (data?.periods ?? []).map(({ period, rows }) => ({
    meta: {
      ...{ marketplace: 'US', source, period, revision: 1, keywords: rows.length, dataPoints: rows.length, digest: '' },
      ...{ startDate: '2024-01-01' as IsoDate, endDate: '2024-01-31' as IsoDate, warnings: [], sourceFile: 'a.csv' },
      publishedAt: new Date(0),
    },
    rows,
  }));
}

class OraclePublisher implements RankPublisher {
  readonly #store: OracleStore;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: OracleStore) {
    this.#store = store;
  }

  async readCatalog(): Promise<RevisionCatalog> {
    return this.#store.catalog;
  }

  async openBatch<T>({ onWait, signal }: BatchOptions, work: (batch: PublicationBatch) => Promise<T>): Promise<T> {
    const before = this.#last;
    const turn = (async () => {
      await before.catch(() => {});
      signal?.throwIfAborted();
      return await work(new OracleBatch(this.#store, signal));
    })();
    this.#last = turn;
    onWait();
    return await turn;
  }

  async verify(): Promise<Verification> {
    return { files: 0, bytes: 0, faults: [] };
  }
}

class OracleBatch implements PublicationBatch {
  readonly ready = Promise.resolve();
  readonly #store: OracleStore;
  readonly #signal: AbortSignal | undefined;
  #next: State;

  constructor(store: OracleStore, signal: AbortSignal | undefined) {
    this.#store = store;
    this.#signal = signal;
    this.#next = store.state;
  }

  get draft(): RevisionCatalog {
    const store = new OracleStore();
    store.state = this.#next;
    return store.catalog;
  }

  async expect(): Promise<void> {}

  async isIntact(): Promise<boolean> {
    return true;
  }

  async add(period: PublishedPeriod, rows: PeriodRows): Promise<{ readonly newTerms: number }> {
    const read: TestRow[] = [];
    for await (const batch of rows.batches()) read.push(...batch.map(testRowOf));
    this.#replace(period, { meta: period, rows: read });
    return { newTerms: read.length };
  }

  withdraw(published: PublishedPeriod): void {
    this.#replace(published, undefined);
  }

  async restore({ published }: KeptRevision, revision: number): Promise<void> {
    const isIt = ({ revision: kept }: State['kept'][number]) =>
      isAt(kept.published, published) && kept.published.revision === published.revision;
    const rows = this.#next.kept.find(isIt)?.rows ?? [];
    this.#next = { ...this.#next, kept: this.#next.kept.filter((each) => !isIt(each)) };
    this.#replace(published, { meta: { ...published, revision }, rows });
  }

  async publish({ onStage }: Parameters<PublicationBatch['publish']>[0]): Promise<void> {
    if (this.#next === this.#store.state) return;
    onStage('publishing');
    this.#signal?.throwIfAborted();
    this.#next = { ...this.#next, version: this.#store.state.version + 1, computedAt: new Date() };
    this.#store.show(this.#next);
  }

  #replace(place: PeriodPlace, by: Published | undefined): void {
    const { published, kept } = this.#next;
    const old = published.find(({ meta }) => isAt(meta, place));
    const others = published.filter((each) => each !== old);
    const reason = by ? 'replaced' : 'withdrawn';
    this.#next = {
      ...this.#next,
      published: by ? [...others, by] : others,
      kept: old ? [...kept, { revision: { published: old.meta, endedAt: new Date(), reason }, rows: old.rows }] : kept,
    };
  }
}

function testRowOf({ searchTerm: term, ...row }: PeriodRow): TestRow {
  return { term, ...row };
}

export async function openOraclePublisher(): Promise<PublishingStore> {
  const store = new OracleStore();
  return {
    store,
    publisher: new OraclePublisher(store),
    dataDirectory: `${tmpdir()}/keyrank-oracle-${process.pid}`,
    settle: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}
