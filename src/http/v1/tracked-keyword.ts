// A tracked keyword on the wire, with its snapshot of the published ranks.
import { type Static, Type } from 'typebox';
import { trackedSetOf } from '../../domain/held-marketplaces.ts';
import { comparePeriods, type Period, parsePeriodKey, periodKey } from '../../domain/period.ts';
import type { RankSet, RankView } from '../../domain/store.ts';
import {
  PRIORITY_FIELDS,
  PRIORITY_OPERATORS,
  type RankSnapshot,
  type TrackedKeyword,
  takeSnapshot,
} from '../../domain/tracked-keyword.ts';
import { planLatestRanks } from '../../domain/trend.ts';
import { parseVisiblePeriod } from '../../domain/visible-period.ts';
import type { RequestContext } from '../endpoint.ts';
import { type Parameters, pattern } from '../parameters.ts';
import type { Resources } from '../resources.ts';
import { nullable, strictObject, textOf } from '../schemas.ts';

const nullableRank = (description: string) => nullable(Type.Number(), description);

/** Ranks by month. */
export const RankSnapshotSchema = strictObject({
  latest_period: Type.String({
    description: 'Newest month with a rank, up to the chosen one; empty without any.',
  }),
  latest_rank: nullableRank('Rank in latest_period.'),
  previous_rank: nullableRank('Rank in the visible month before latest_period.'),
  rank_change: nullableRank('previous_rank - latest_rank; positive means moved up.'),
  best_rank: nullableRank('Lowest number.'),
  worst_rank: nullableRank('Highest number.'),
  avg_rank: nullableRank('Rounded to two decimals.'),
  total_periods: Type.Number({ description: 'Months with a rank.' }),
  history: Type.Array(strictObject({ period: Type.String(), rank: nullableRank('Null where it had none.') }), {
    description: 'The visible months up to the chosen one, oldest first; empty without any rank.',
  }),
});

/** Spec 2.5, and the lists. */
export const TrackedKeywordSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  notes: Type.String(),
  is_active: Type.Boolean({ description: 'False while paused: no digests, no alerts.' }),
  priority_enabled: Type.Boolean({ description: 'Whether the rule raises alerts.' }),
  priority_rule: strictObject({
    field: textOf(PRIORITY_FIELDS),
    operator: textOf(PRIORITY_OPERATORS),
    value: Type.Number(),
  }),
  search_term: strictObject({
    id: Type.Integer({ minimum: 0, description: 'The same for every spelling of a term; stable.' }),
    original_term: Type.String({ description: 'As it was written when it was added.' }),
  }),
  list_ids: Type.Array(Type.String({ format: 'uuid' }), {
    description: "The organization's lists that have this keyword.",
  }),
  snapshot: RankSnapshotSchema,
});

export const snapshotPeriod = pattern('Month of the snapshot. Default: the latest.', {
  rule: 'a month in the form MM-YYYY',
  example: '05-2026',
  pattern: '^(0[1-9]|1[0-2])-[0-9]{4}$',
  absent: undefined,
  read: (value) => (/^[0-9]{2}-/.test(value) && parsePeriodKey(value, 'monthly') ? value : undefined),
});

/** Keywords are tracked in the configured marketplace, by month. */
export function trackedSet({ ranks }: Resources): RankSet {
  return trackedSetOf(ranks.defaultMarketplace);
}

interface SnapshotQuestion {
  readonly view: RankView | undefined;
  /** Normalised. */
  readonly terms: readonly string[];
  readonly period: string | undefined;
}

/** Snapshots of normalised terms, as of a month or the newest one. */
export async function readSnapshots<P extends Parameters, B>(
  { plan, time, signal }: RequestContext<P, B>,
  { view, terms, period }: SnapshotQuestion,
): Promise<ReadonlyMap<string, RankSnapshot>> {
  const rankPlan = planLatestRanks({ frequency: 'monthly', terms }, { plan, published: view?.periods ?? [] });
  const window = windowUntil(rankPlan.window, period);
  const ranks = view && terms.length > 0 ? await time('ranks', () => view.listTermRanks(rankPlan, { signal })) : [];
  return new Map(terms.map((term, i) => [term, takeSnapshot({ window, ranks: ranks[i] ?? [] })]));
}

/** The part of a window up to a month that a caller named. */
function windowUntil(window: readonly Period[], key: string | undefined): readonly Period[] {
  if (key === undefined) return window;
  const otherwise = 'leave the parameter out';
  const last = parseVisiblePeriod(key, { parameter: 'period', frequency: 'monthly', window, otherwise });
  return window.filter((period) => comparePeriods(period, last) <= 0);
}

/** What is shown of tracked keywords beside what is stored of them. */
export interface KeywordFacts {
  /** By normalised term. */
  readonly snapshots: ReadonlyMap<string, RankSnapshot>;
  readonly listIds: ReadonlyMap<string, readonly string[]>;
}

/** Snapshots as of a month or the newest one, and the lists. */
export async function readKeywordFacts<P extends Parameters, B>(
  context: RequestContext<P, B>,
  question: SnapshotQuestion,
): Promise<KeywordFacts> {
  const snapshots = await readSnapshots(context, question);
  const { caller, resources } = context;
  return { snapshots, listIds: await resources.listItems.listsOf(caller, question.terms) };
}

export function presentTrackedKeyword(
  keyword: TrackedKeyword,
  { snapshots, listIds }: KeywordFacts,
): Static<typeof TrackedKeywordSchema> {
  return {
    id: keyword.id,
    created_at: keyword.createdAt.toISOString(),
    updated_at: keyword.updatedAt.toISOString(),
    notes: keyword.notes,
    is_active: keyword.isActive,
    priority_enabled: keyword.isPriorityEnabled,
    priority_rule: { ...keyword.priorityRule },
    search_term: { id: keyword.termId, original_term: keyword.originalTerm },
    list_ids: [...(listIds.get(keyword.normalizedTerm) ?? [])],
    snapshot: presentSnapshot(snapshots.get(keyword.normalizedTerm)),
  };
}

/** Without any ranks unless there is one. */
export function presentSnapshot(
  snapshot: RankSnapshot = takeSnapshot({ window: [], ranks: [] }),
): Static<typeof RankSnapshotSchema> {
  return {
    latest_period: snapshot.latestPeriod ? periodKey(snapshot.latestPeriod) : '',
    latest_rank: snapshot.latestRank,
    previous_rank: snapshot.previousRank,
    rank_change: snapshot.rankChange,
    best_rank: snapshot.bestRank,
    worst_rank: snapshot.worstRank,
    avg_rank: snapshot.avgRank,
    total_periods: snapshot.totalPeriods,
    history: snapshot.history.map(({ period, rank }) => ({ period: periodKey(period), rank })),
  };
}
