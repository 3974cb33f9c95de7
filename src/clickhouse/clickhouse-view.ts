// A view on one set in ClickHouse, pinned to a generation.
import type { Period } from '../domain/period.ts';
import { checkWindow } from '../domain/plan.ts';
import type { SearchPlan } from '../domain/search-plan.ts';
import type { SearchRow } from '../domain/search-row.ts';
import type { RankView, ReadOptions } from '../domain/store.ts';
import { compareProducts } from './holders/compare-products.ts';
import { findHolder } from './holders/find-holder.ts';
import { listHeldKeywords } from './holders/list-held-keywords.ts';
import { listProductChanges } from './holders/list-product-changes.ts';
import { listTermPeriods } from './holders/list-term-periods.ts';
import type { QuestionTurns } from './question-turns.ts';
import { count, search, streamRows } from './search/search.ts';
import { listLatestRanks, listMatches, listSuggestions, listTermRanks } from './search/single-terms.ts';
import type { SetReader } from './set-reader.ts';
import { listChanges } from './trends/list-changes.ts';
import { listNewTerms } from './trends/list-new-terms.ts';
import { listRoots } from './trends/list-roots.ts';
import { listSeasonal } from './trends/list-seasonal.ts';
import { listSocialRanks } from './trends/list-social-ranks.ts';

/** Rows that are read at a time for a stream of them. */
const ROWS_PER_BATCH = 1000;

export interface ViewParts {
  readonly reader: SetReader;
  /** Throws when the generation is not whole any more: what was read before may lack something. */
  readonly checkWhole: (options?: ReadOptions) => Promise<void>;
  readonly turns: QuestionTurns;
  readonly owner: string;
  readonly retail: ClickHouseView | undefined;
}

interface Windowed {
  readonly window: readonly Period[];
}

export class ClickHouseView implements RankView {
  readonly #parts: ViewParts;
  #isOpen = true;

  constructor(parts: ViewParts) {
    this.#parts = parts;
  }

  get set(): RankView['set'] {
    return this.reader.set;
  }

  get periods(): readonly Period[] {
    return this.reader.periods;
  }

  get retail(): ClickHouseView | undefined {
    return this.#parts.retail;
  }

  get reader(): SetReader {
    return this.#parts.reader;
  }

  readonly search: RankView['search'] = (plan, options) => this.#ask(plan, options, search);
  readonly count: RankView['count'] = (plan, options) => this.#ask(plan, options, count);
  readonly listChanges: RankView['listChanges'] = (plan, options) => this.#ask(plan, options, listChanges);
  readonly listSocialRanks: RankView['listSocialRanks'] = (plan, options) =>
    this.#ask(plan, options, async (reader, asked, given) => {
      const page = await listSocialRanks(reader, asked, { ...given, retail: this.retail?.reader });
      await this.retail?.checkWhole(given);
      return page;
    });
  readonly listNewTerms: RankView['listNewTerms'] = (plan, options) => this.#ask(plan, options, listNewTerms);
  readonly listSeasonal: RankView['listSeasonal'] = (plan, options) => this.#ask(plan, options, listSeasonal);
  readonly listRoots: RankView['listRoots'] = (plan, options) =>
    this.#ask(plan.search, options, (reader, _, given) => listRoots(reader, plan, given));
  readonly listLatestRanks: RankView['listLatestRanks'] = (plan, options) => this.#ask(plan, options, listLatestRanks);
  readonly listTermRanks: RankView['listTermRanks'] = (plan, options) => this.#ask(plan, options, listTermRanks);
  readonly listMatches: RankView['listMatches'] = (query, options) =>
    this.#ask(query.plan, options, (reader, _, given) => listMatches(reader, query, given));
  readonly listSuggestions: RankView['listSuggestions'] = (plan, options) => this.#ask(plan, options, listSuggestions);
  readonly listTermPeriods: RankView['listTermPeriods'] = (plan, options) => this.#ask(plan, options, listTermPeriods);
  readonly findHolder: RankView['findHolder'] = (plan, options) => this.#ask(plan, options, findHolder);
  readonly listHeldKeywords: RankView['listHeldKeywords'] = (plan, options) =>
    this.#ask(plan, options, listHeldKeywords);
  readonly compareProducts: RankView['compareProducts'] = (plan, options) => this.#ask(plan, options, compareProducts);
  readonly listProductChanges: RankView['listProductChanges'] = (plan, options) =>
    this.#ask(plan, options, listProductChanges);

  async *streamRows(plan: SearchPlan, options: ReadOptions = {}): AsyncGenerator<readonly SearchRow[]> {
    this.#checkQuestion(plan, options);
    for await (const rows of streamRows(this.reader, { plan, rowsPerBatch: ROWS_PER_BATCH }, options)) {
      await this.checkWhole(options);
      yield rows;
      if (options.signal?.aborted) throw options.signal.reason;
    }
    await this.checkWhole(options);
  }

  async checkWhole(options?: ReadOptions): Promise<void> {
    await this.#parts.checkWhole(options);
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.retail?.[Symbol.dispose]();
  }

  async #ask<Plan extends Windowed, Answer>(
    plan: Plan,
    options: ReadOptions = {},
    answer: (reader: SetReader, plan: Plan, options: ReadOptions) => Promise<Answer>,
  ): Promise<Answer> {
    this.#checkQuestion(plan, options);
    return await this.#parts.turns.take(this.#parts.owner, options, async () => {
      const answered = await answer(this.reader, plan, options);
      await this.checkWhole(options);
      return answered;
    });
  }

  #checkQuestion({ window }: Windowed, { signal }: ReadOptions): void {
    if (!this.#isOpen) throw new Error('the view is closed');
    if (signal?.aborted) throw signal.reason;
    checkWindow(window, this.periods);
  }
}
