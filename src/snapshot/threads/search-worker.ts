// The thread that answers searches, lists and suggestions.
import type { ComparePlan, HeldKeywordPlan, HolderPlan, TermHistoryPlan } from '../../domain/holder.ts';
import type { RootPlan } from '../../domain/root.ts';
import type { SearchPlan } from '../../domain/search-plan.ts';
import type { SeasonPlan } from '../../domain/season.ts';
import type { SuggestionPlan } from '../../domain/suggestion.ts';
import type { ProductChangePlan } from '../../domain/tracked-product.ts';
import type { ChangePlan, LatestRankPlan, NewPlan, SocialPlan } from '../../domain/trend.ts';
import type { SeasonBuffers } from '../format/season-columns.ts';
import { summarizeWindow } from '../format/snapshot-view.ts';
import { compareProducts } from '../holders/comparison.ts';
import { listHeldKeywords } from '../holders/held-keywords.ts';
import { findHolder } from '../holders/holder-summary.ts';
import { listProductChanges } from '../holders/product-changes.ts';
import { listTermPeriods } from '../holders/term-periods.ts';
import { presentPage } from '../query/present-page.ts';
import { listRoots } from '../query/roots.ts';
import { search } from '../query/search.ts';
import { readRows } from '../query/search-rows.ts';
import { listSuggestions } from '../query/suggestions.ts';
import { listMatches, listTermRanks } from '../query/tracked-terms.ts';
import { listSeasonal } from '../trends/season-list.ts';
import { findSeasons, joinSeasons, type SeasonPages } from '../trends/seasons.ts';
import { listChanges, listLatestRanks, listNewTerms, listSocialRanks } from '../trends/trends.ts';
import type { WrittenPage } from './page-memory.ts';
import { serveTasks, type TaskContext } from './worker-loop.ts';

interface SocialTask {
  readonly plan: SocialPlan;
  /** Categories are those of the retail snapshot, when there is one. */
  readonly retailSnapshotId: number | undefined;
}

/** How each question is answered; those of the contract have its names. */
const ANSWERS = {
  searchPage: (plan: SearchPlan, context: TaskContext): WrittenPage => {
    const outcome = search(context.view, plan, context);
    return { totalCount: outcome.totalCount, dataJson: presentPage(context.view, outcome) };
  },
  search: (plan: SearchPlan, context: TaskContext) => {
    const outcome = search(context.view, plan, context);
    return { totalCount: outcome.totalCount, rows: readRows(context.view, outcome) };
  },
  count: (plan: SearchPlan, context: TaskContext) =>
    search(context.view, { ...plan, offset: 0, limit: 1 }, context).totalCount,
  listChanges: (plan: ChangePlan, context: TaskContext) => listChanges(context.view, plan, context),
  listSocialRanks: ({ plan, retailSnapshotId }: SocialTask, { view, findView, throwIfCancelled }: TaskContext) => {
    const retail = retailSnapshotId === undefined ? undefined : findView(retailSnapshotId);
    return listSocialRanks(view, plan, { retail, throwIfCancelled });
  },
  listNewTerms: (plan: NewPlan, context: TaskContext) => listNewTerms(context.view, plan, context),
  listSeasonal: (plan: SeasonPlan, context: TaskContext) => listSeasonal(context.view, plan, context),
  listRoots: (plan: RootPlan, context: TaskContext) => listRoots(context.view, plan, context),
  listLatestRanks: (plan: LatestRankPlan, { view }: TaskContext) => listLatestRanks(view, plan),
  listTermRanks: (plan: LatestRankPlan, { view }: TaskContext) => listTermRanks(view, plan),
  listMatches: (query: { readonly plan: SearchPlan; readonly terms: readonly string[] }, context: TaskContext) =>
    listMatches(context.view, query, context),
  summarize: (size: number, { view, throwIfCancelled }: TaskContext) =>
    summarizeWindow(view, { size, throwIfCancelled }),
  findSeasons: (pages: SeasonPages, { view, throwIfCancelled }: TaskContext) =>
    findSeasons(view, pages, throwIfCancelled),
  joinSeasons: (parts: readonly SeasonBuffers[], { view }: TaskContext) => joinSeasons(view, parts),
  listSuggestions: (plan: SuggestionPlan, context: TaskContext) => listSuggestions(context.view, plan, context),
  listTermPeriods: (plan: TermHistoryPlan, { view }: TaskContext) => listTermPeriods(view, plan),
  findHolder: (plan: HolderPlan, context: TaskContext) => findHolder(context.view, plan, context),
  listHeldKeywords: (plan: HeldKeywordPlan, context: TaskContext) => listHeldKeywords(context.view, plan, context),
  listProductChanges: (plan: ProductChangePlan, context: TaskContext) =>
    listProductChanges(context.view, plan, context),
  compareProducts: (plan: ComparePlan, context: TaskContext) => compareProducts(context.view, plan, context),
};

type Answers = typeof ANSWERS;
export type Question = keyof Answers;
export type Asked<Kind extends Question> = Parameters<Answers[Kind]>[0];
export type Answer<Kind extends Question> = ReturnType<Answers[Kind]>;

export interface SearchTask {
  readonly kind: Question;
  /** What questions of this kind ask. */
  readonly asked: Asked<Question>;
}

serveTasks<SearchTask, Answer<Question>>({
  niceness: 5,
  run: ({ kind, asked }, context) => ANSWERS[kind](asked as never, context),
});
