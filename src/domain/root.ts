// Roots: the words, and the phrases of two words that stand beside each other, in all terms that a search finds. Words are compared as
// words.ts folds them, so "Shoe" is "shoe", and "shoes" is another root. A term counts once for a root, however often it has it.
//
// Of its terms a root has the best of their best ranks in the window, and how many rise and fall: by the newest visible period against the
// one before, for terms with a rank in both.
//
// Order. Ties break by best rank, then by the root in code point order, both ascending in either direction; so the order is total.
import { type PlanContext, planSearch, type SearchPlan } from './search-plan.ts';
import type { OrderDirection, SearchQuery } from './search-query.ts';

/** What roots can be ordered by, and which end is best. */
export const ROOT_ORDERS = {
  terms: 'desc',
  best_rank: 'asc',
  rising: 'desc',
  falling: 'desc',
} as const satisfies Readonly<Record<string, OrderDirection>>;
export type RootOrder = keyof typeof ROOT_ORDERS;

export const ROOT_KINDS = ['word', 'phrase'] as const;
export type RootKind = (typeof ROOT_KINDS)[number];

/** So that what has to be remembered for a page is bounded: a million roots. */
export const MAX_ROOT_PAGE = 1000;

export interface RootQuery {
  readonly search: Omit<SearchQuery, 'orderBy' | 'orderDirection'>;
  /** Undefined means both. */
  readonly kind: RootKind | undefined;
  readonly orderBy: RootOrder;
  /** Undefined means the best first. */
  readonly orderDirection: OrderDirection | undefined;
}

export interface RootPlan {
  /** Its slice is that of the roots. */
  readonly search: SearchPlan;
  readonly kind: RootKind | undefined;
  readonly order: { readonly field: RootOrder; readonly direction: OrderDirection };
}

export function planRoots({ search, kind, orderBy, orderDirection }: RootQuery, context: PlanContext): RootPlan {
  return {
    search: planSearch({ ...search, orderBy: 'latest_rank', orderDirection: undefined }, context),
    kind,
    order: { field: orderBy, direction: orderDirection ?? ROOT_ORDERS[orderBy] },
  };
}
