// Alert rules in words. A rank is better when it is lower, and a change is positive when a keyword climbs: signs alone would have to
// be explained each time.
import type { PriorityRule, TrackedKeyword } from '../api/wire.ts';
import { formatNumber } from '../parts/format.ts';

export const FIELD_WORDS: Readonly<Record<PriorityRule['field'], string>> = {
  latest_rank: 'latest rank',
  rank_change: 'change',
  best_rank: 'best rank',
  worst_rank: 'worst rank',
  avg_rank: 'average rank',
};

type Operator = PriorityRule['operator'];

const RANK_WORDS: Readonly<Record<Operator, string>> = {
  lt: 'is better than (<)',
  lte: 'is at least as good as (≤)',
  gt: 'is worse than (>)',
  gte: 'is at least as bad as (≥)',
  eq: 'is exactly (=)',
};
const CHANGE_WORDS: Readonly<Record<Operator, string>> = {
  gt: 'is more than (>)',
  gte: 'is at least (≥)',
  lt: 'is less than (<)',
  lte: 'is at most (≤)',
  eq: 'is exactly (=)',
};

export function operatorWords(field: PriorityRule['field']): Readonly<Record<Operator, string>> {
  return field === 'rank_change' ? CHANGE_WORDS : RANK_WORDS;
}

/** "latest rank better than 300", "climbs by more than 100". */
export function describeRule({ field, operator, value }: PriorityRule): string {
  if (field === 'rank_change') return describeMove(operator, value);
  const rank = formatNumber(value);
  const texts: Readonly<Record<Operator, string>> = {
    lt: `better than ${rank}`,
    lte: `${rank} or better`,
    gt: `worse than ${rank}`,
    gte: `${rank} or worse`,
    eq: `exactly ${rank}`,
  };
  return `${FIELD_WORDS[field]} ${texts[operator]}`;
}

/** A change is what a keyword climbed by; a fall is less than nothing. */
function describeMove(operator: Operator, value: number): string {
  const size = formatNumber(Math.abs(value));
  const verb = value < 0 ? 'falls' : 'climbs';
  switch (operator) {
    case 'eq':
      return value === 0 ? 'stays where it is' : `${verb} by exactly ${size}`;
    case 'gt':
      if (value === 0) return 'climbs';
      return value > 0 ? `climbs by more than ${size}` : `climbs, stays, or falls by less than ${size}`;
    case 'gte':
      if (value === 0) return 'climbs or stays';
      return value > 0 ? `climbs by ${size} or more` : `climbs, stays, or falls by ${size} at most`;
    case 'lt':
      if (value === 0) return 'falls';
      return value < 0 ? `falls by more than ${size}` : `falls, stays, or climbs by less than ${size}`;
    case 'lte':
      if (value === 0) return 'falls or stays';
      return value < 0 ? `falls by ${size} or more` : `falls, stays, or climbs by ${size} at most`;
  }
}

/** Whether the newest ranks meet it already; undefined where what it asks for is not known. */
export function isRuleMet({ field, operator, value }: PriorityRule, { snapshot }: TrackedKeyword): boolean | undefined {
  const actual = snapshot[field];
  if (actual === null) return undefined;
  const answers: Readonly<Record<Operator, boolean>> = {
    lt: actual < value,
    lte: actual <= value,
    gt: actual > value,
    gte: actual >= value,
    eq: actual === value,
  };
  return answers[operator];
}

/** The service's own rule for keywords that were given none. */
const GIVEN_NONE: PriorityRule = { field: 'latest_rank', operator: 'lt', value: 1000 };

/** What to begin with: the reader's own rule, or one that the keyword does not meet yet. */
export function suggestRule(keyword: TrackedKeyword): PriorityRule {
  const { priority_rule: rule, snapshot } = keyword;
  const isOwn =
    keyword.priority_enabled ||
    (Object.keys(GIVEN_NONE) as (keyof PriorityRule)[]).some((key) => rule[key] !== GIVEN_NONE[key]);
  const rank = snapshot.latest_rank;
  if (isOwn || rank === null) return rule;
  if (rank === 1) return { field: 'latest_rank', operator: 'gt', value: 1 };
  return { field: 'latest_rank', operator: 'lte', value: roundBelow(rank) };
}

/** The next of 1, 2, 5, 10, 20, 50 … that is better. */
function roundBelow(rank: number): number {
  const decade = 10 ** Math.floor(Math.log10(rank - 1));
  const step = [5, 2, 1].find((each) => each * decade < rank) ?? 1;
  return step * decade;
}
