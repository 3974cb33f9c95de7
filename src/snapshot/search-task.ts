// What the main thread and the worker threads say to each other.
import type { SearchPlan } from '../domain/search-plan.ts';
import type { ChangeRow, NewRow, SearchPage, SearchRow, SocialRow, TrendPage } from '../domain/store.ts';
import type { SuggestionPlan } from '../domain/suggestion.ts';
import type { ChangePlan, LatestRankPlan, NewPlan, SocialPlan } from '../domain/trend.ts';
import type { LoadedSnapshot } from './load.ts';

export type SearchTask =
  | { readonly kind: 'page'; readonly plan: SearchPlan }
  /** Only which documents, so that their rows can be read in batches. */
  | { readonly kind: 'documents'; readonly plan: SearchPlan }
  | { readonly kind: 'rows'; readonly plan: SearchPlan; readonly documents: readonly number[] }
  | { readonly kind: 'changes'; readonly plan: ChangePlan }
  /** Categories are those of the retail snapshot, when there is one. */
  | { readonly kind: 'social-ranks'; readonly plan: SocialPlan; readonly retailSnapshotId: number | undefined }
  | { readonly kind: 'new-terms'; readonly plan: NewPlan }
  | { readonly kind: 'latest-ranks'; readonly plan: LatestRankPlan }
  | { readonly kind: 'term-ranks'; readonly plan: LatestRankPlan }
  | { readonly kind: 'matches'; readonly plan: SearchPlan; readonly terms: readonly string[] }
  | { readonly kind: 'suggestions'; readonly plan: SuggestionPlan };

export type TaskResult =
  | { readonly kind: 'page'; readonly page: SearchPage }
  | { readonly kind: 'documents'; readonly documents: readonly number[] }
  | { readonly kind: 'rows'; readonly rows: readonly SearchRow[] }
  | { readonly kind: 'changes'; readonly page: TrendPage<ChangeRow> }
  | { readonly kind: 'social-ranks'; readonly page: TrendPage<SocialRow> }
  | { readonly kind: 'new-terms'; readonly page: TrendPage<NewRow> }
  | { readonly kind: 'latest-ranks'; readonly ranks: readonly (number | null)[] }
  | { readonly kind: 'term-ranks'; readonly ranks: readonly (readonly (number | null)[])[] }
  | { readonly kind: 'matches'; readonly matches: readonly boolean[] }
  | { readonly kind: 'suggestions'; readonly terms: readonly string[] };

export type WorkerRequest =
  | { readonly kind: 'attach'; readonly snapshotId: number; readonly snapshot: LoadedSnapshot }
  | { readonly kind: 'detach'; readonly snapshotId: number }
  | { readonly kind: 'run'; readonly taskId: number; readonly snapshotId: number; readonly task: SearchTask };

export type WorkerReply =
  | { readonly kind: 'done'; readonly taskId: number; readonly result: TaskResult }
  | { readonly kind: 'cancelled'; readonly taskId: number }
  | { readonly kind: 'failed'; readonly taskId: number; readonly error: unknown };

export interface WorkerSetup {
  /** One Int32: the id of the task that is to be given up. Written by the main thread while the worker is busy. */
  readonly cancelled: SharedArrayBuffer;
}
