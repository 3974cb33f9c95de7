// What a search can be ordered by: each order is one value, with its key, its null rule, what decides among equals, and the
// shortcuts that it allows. A field without an order does not compile.
import { isSamePeriod } from '../../domain/period.ts';
import type { OrderField } from '../../domain/search-plan.ts';
import type { OrderDirection } from '../../domain/search-query.ts';
import { takeRoom } from './arena.ts';
import { selectBest } from './best-tiers.ts';
import { columnOrder, latestPeriodOrder, periodNumberOrder, periodOrder, shareOrder } from './column-orders.ts';
import { findProducts } from './document-filter.ts';
import { listFtsCodes, planFtsCodes } from './fts-codes.ts';
import { type KeyOrder, selectByKeys } from './key-order.ts';
import { listTiers, planTiers } from './match-tiers.ts';
import type { Matches, OpenRelevance, SearchContext } from './matches.ts';
import { type MeasureName, openMeasure } from './measure.ts';
import { measureOrder } from './measure-order.ts';
import { HIGHEST_KEY, type Slice } from './selection.ts';
import { listSimilarityCodes } from './term-similarity.ts';
import { selectTiers, TIER_BY_TIER, TierBlocks } from './tier-blocks.ts';
import { titleGapOrder } from './title-gap-order.ts';

export interface SearchOrder {
  /** How it values matches of the query; undefined when it looks at documents alone. */
  readonly openRelevance?: OpenRelevance;
  /** The documents at the places of the slice, in order. */
  readonly select: (matches: Matches) => readonly number[];
}

interface OrderContext extends SearchContext {
  readonly slice: Slice;
  readonly direction: OrderDirection;
}

export function openOrder(context: OrderContext): SearchOrder {
  const { order } = context.plan;
  if (order.kind === 'field') return ORDERS[order.field](context);
  const { view, direction } = context;
  const ranks = view.ranks[view.periods.findIndex((period) => isSamePeriod(period, order.period))];
  return byKeys(context, periodOrder(view, { ranks, direction }));
}

const ORDERS: Readonly<Record<OrderField, (context: OrderContext) => SearchOrder>> = {
  latest_rank: (context) => byKeys(context, columnOrder(context.view.latestRanks, context.direction)),
  best_rank: (context) => byKeys(context, columnOrder(context.window.summaries.bestRanks, context.direction)),
  worst_rank: (context) => byKeys(context, columnOrder(context.window.summaries.worstRanks, context.direction)),
  avg_rank: (context) => byKeys(context, columnOrder(context.window.summaries.avgRanks, context.direction)),
  total_periods: (context) => byPeriodNumber(context, context.window.summaries.totalPeriods),
  latest_period: (context) => byKeys(context, latestPeriodOrder(context.view, context.direction)),
  click_share: (context) => byShare(context, 'clickShares'),
  conversion_share: (context) => byShare(context, 'conversionShares'),
  change: (context) => byMeasure(context, 'change'),
  change_percentage: (context) => byMeasure(context, 'change_percentage'),
  year_change: (context) => byMeasure(context, 'year_change'),
  click_concentration: (context) => byMeasure(context, 'click_concentration'),
  conversion_to_click: (context) => byMeasure(context, 'conversion_to_click'),
  title_gap: (context) => byKeys(context, titleGapOrder(context.view, context)),
  first_seen: (context) => byPeriodNumber(context, context.window.summaries.firstPeriods),
  // Codes are higher for what was named earlier.
  query_order: (context) => byKeys(context, { keysOf: ({ codes }) => directedCodes(codes, 'desc'), ties: 'document' }),
  best_match: bestMatch,
  fts_rank: (context) => byCodes(context, ftsRelevance(context)),
  similarity_score: (context) => byCodes(context, similarityRelevance(context)),
};

function byKeys({ view, slice }: OrderContext, order: KeyOrder): SearchOrder {
  return { select: (matches) => selectByKeys(view, { order, matches, slice }) };
}

function byPeriodNumber(context: OrderContext, numbers: Uint16Array): SearchOrder {
  const { direction, view, window } = context;
  const periodCount = view.periods.length - window.firstPeriod;
  return byKeys(context, periodNumberOrder(numbers, { latestRanks: view.latestRanks, direction, periodCount }));
}

function byShare(context: OrderContext, column: 'clickShares' | 'conversionShares'): SearchOrder {
  const { view, plan, direction } = context;
  const products = findProducts(view, plan.match.kind === 'asins' ? plan.match.asins : []);
  return byKeys(context, shareOrder(view, { shares: view[column], products, direction }));
}

function byMeasure(context: OrderContext, name: MeasureName): SearchOrder {
  const { view, plan, direction } = context;
  return byKeys(context, measureOrder(view, { name, measure: openMeasure(view, plan, name), direction }));
}

/** By how the query values a match. */
function byCodes(context: OrderContext, openRelevance: OpenRelevance): SearchOrder {
  const keysOf: KeyOrder['keysOf'] = ({ codes }) => directedCodes(codes, context.direction);
  return { openRelevance, ...byKeys(context, { keysOf, ties: 'rank' }) };
}

function ftsRelevance({ view, window }: OrderContext): OpenRelevance {
  return (queries) => {
    const tables = planFtsCodes(queries, window.visibleCount);
    return ({ index, documents }) => ({ codes: listFtsCodes(view, documents, tables[index] ?? new Uint32Array(0)) });
  };
}

function similarityRelevance({ view, slice, direction, throwIfCancelled }: OrderContext): OpenRelevance {
  // The best are first, so nobody sees how far behind the page the others are.
  const reach = direction === 'desc' ? slice.to : undefined;
  return () =>
    ({ query: { text }, documents }) => ({
      codes: listSimilarityCodes(view, { text, documents, reach, throwIfCancelled }),
    });
}

/** By tier; within a tier documents stand in their own order. */
function bestMatch({ view, slice, direction }: OrderContext): SearchOrder {
  return {
    // A document that several queries match takes its best tier, and the last places need every tier.
    openRelevance: (queries) =>
      queries.length > 1 || direction === 'asc'
        ? ({ query, documents }) => ({ codes: listTiers(view, planTiers(view, query), documents) })
        : ({ query, documents }) => ({ page: selectBest(view, { query, documents, slice }) }),
    select: ({ documents, codes, page }) => {
      if (page) return page;
      if (!(codes instanceof Uint16Array)) throw new Error('an order by best match needs tiers');
      const blocks = new TierBlocks({ documents, marks: codes, tierByMark: TIER_BY_TIER });
      return selectTiers([blocks.lookAtAll()], { ...slice, direction });
    },
  };
}

function directedCodes(codes: Matches['codes'], direction: OrderDirection): Uint32Array {
  if (!(codes instanceof Uint32Array)) throw new Error('an order by relevance needs relevance codes');
  if (direction === 'asc') return codes;
  const keys = takeRoom('orderKeys', codes.length).subarray(0, codes.length);
  for (let i = 0; i < keys.length; i += 1) keys[i] = HIGHEST_KEY - (codes[i] ?? 0);
  return keys;
}
