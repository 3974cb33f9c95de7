// What the search threads are asked, and what they answer.
import type { SearchPlan } from '../../domain/search-plan.ts';
import type { ChangeRow, NewRow, SearchResult, SocialRow, TrendPage } from '../../domain/store.ts';
import type { SuggestionPlan } from '../../domain/suggestion.ts';
import type { ChangePlan, LatestRankPlan, NewPlan, SocialPlan } from '../../domain/trend.ts';

export type SearchTask =
  | { readonly kind: 'page'; readonly plan: SearchPlan }
  | { readonly kind: 'rows'; readonly plan: SearchPlan }
  | { readonly kind: 'count'; readonly plan: SearchPlan }
  | { readonly kind: 'changes'; readonly plan: ChangePlan }
  /** Categories are those of the retail snapshot, when there is one. */
  | { readonly kind: 'social-ranks'; readonly plan: SocialPlan; readonly retailSnapshotId: number | undefined }
  | { readonly kind: 'new-terms'; readonly plan: NewPlan }
  | { readonly kind: 'latest-ranks'; readonly plan: LatestRankPlan }
  | { readonly kind: 'term-ranks'; readonly plan: LatestRankPlan }
  | { readonly kind: 'matches'; readonly plan: SearchPlan; readonly terms: readonly string[] }
  | { readonly kind: 'suggestions'; readonly plan: SuggestionPlan };

export interface WrittenPage {
  readonly totalCount: number;
  /** In the thread's memory, which the next page will use. */
  readonly dataJson: Uint8Array;
}

export type TaskResult =
  | { readonly kind: 'page'; readonly page: WrittenPage }
  | { readonly kind: 'rows'; readonly page: SearchResult }
  | { readonly kind: 'count'; readonly totalCount: number }
  | { readonly kind: 'changes'; readonly page: TrendPage<ChangeRow> }
  | { readonly kind: 'social-ranks'; readonly page: TrendPage<SocialRow> }
  | { readonly kind: 'new-terms'; readonly page: TrendPage<NewRow> }
  | { readonly kind: 'latest-ranks'; readonly ranks: readonly (number | null)[] }
  | { readonly kind: 'term-ranks'; readonly ranks: readonly (readonly (number | null)[])[] }
  | { readonly kind: 'matches'; readonly matches: readonly boolean[] }
  | { readonly kind: 'suggestions'; readonly terms: readonly string[] };
