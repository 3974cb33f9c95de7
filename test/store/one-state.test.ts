// A view is one state of the data, whatever is published meanwhile; and work that nobody waits for stops.
import { describe, expect, it } from 'vitest';
import { type Holder, planComparison, planHeldKeywords, planHolder, planTermHistory } from '../../src/domain/holder.ts';
import { STUDIO } from '../../src/domain/plan.ts';
import { planRoots } from '../../src/domain/root.ts';
import { planSeasons } from '../../src/domain/season.ts';
import type { RankView, ReadOptions } from '../../src/domain/store.ts';
import { planSuggestions } from '../../src/domain/suggestion.ts';
import { planChanges, planLatestRanks, planNewTerms, planSocialRanks } from '../../src/domain/trend.ts';
import type { TestData } from '../support/rank-data.ts';
import { ENGINES, viewOf } from './engines.ts';
import { planKeywords, rankedData } from './search-fixture.ts';

const products = [{ asin: 'B000000001', title: 'A title', clickShare: 10, conversionShare: null }];
const months = [
  [{ term: 'x one', rank: 1, products }, 'x two'],
  ['x two', { term: 'x one', rank: 2, products }, 'x old'],
];
const older = rankedData(...months);
const newer = rankedData(...months, [{ term: 'x three', rank: 1, products }, 'x new']);
const PAGE = {
  queries: ['x'],
  categories: [],
  minRank: undefined,
  maxRank: undefined,
  frequency: 'monthly',
  orderBy: 'query',
  orderDirection: 'asc',
  offset: 0,
  limit: 10,
} as const;
const HELD_PAGE = { periodKey: undefined, queries: ['x'], orderDirection: undefined, offset: 0, limit: 10 };
const holder: Holder = { kind: 'product', asin: 'B000000001' };

const SEASONS = { ...PAGE, peakMonth: undefined, withinWeeks: undefined } as const;
const ROOTS = {
  search: { frequency: 'monthly', queries: ['x'], excludeQueries: [], method: 'similar', page: 1, limit: 10 },
  kind: undefined,
  orderBy: 'terms',
  orderDirection: undefined,
} as const;

/** Every question that a view can be asked about this data. */
function questionsOf(view: RankView, data: TestData) {
  const published = data.periods.map(({ period }) => period);
  const context = { plan: STUDIO, published, retailPublished: published } as const;
  const held = { plan: STUDIO, frequency: 'monthly', published } as const;
  const search = planKeywords(data, { queries: ['x'] });
  const terms = planLatestRanks({ frequency: 'monthly', terms: ['x one', 'x new'] }, context);
  const suggestions = planSuggestions({ text: 'x', frequency: 'monthly', limit: 5 }, context);
  const changes = planChanges({ ...PAGE, threshold: 0.5, direction: undefined }, context);
  return {
    search: (options?: ReadOptions) => view.search(search, options),
    count: (options?: ReadOptions) => view.count(search, options),
    streamRows: async (options?: ReadOptions) => {
      const batches = [];
      for await (const rows of view.streamRows(search, options)) batches.push(rows);
      return batches.flat();
    },
    listChanges: (options?: ReadOptions) => view.listChanges(changes, options),
    listNewTerms: (options?: ReadOptions) => view.listNewTerms(planNewTerms(PAGE, context), options),
    listSeasonal: (options?: ReadOptions) => view.listSeasonal(planSeasons(SEASONS, context), options),
    listRoots: (options?: ReadOptions) => view.listRoots(planRoots(ROOTS, context), options),
    listSocialRanks: (options?: ReadOptions) => view.listSocialRanks(planSocialRanks(PAGE, context), options),
    listLatestRanks: (options?: ReadOptions) => view.listLatestRanks(terms, options),
    listTermRanks: (options?: ReadOptions) => view.listTermRanks(terms, options),
    listMatches: (options?: ReadOptions) => view.listMatches({ plan: search, terms: terms.terms }, options),
    listSuggestions: (options?: ReadOptions) => view.listSuggestions(suggestions, options),
    listTermPeriods: (options?: ReadOptions) => view.listTermPeriods(planTermHistory('x one', held), options),
    findHolder: (options?: ReadOptions) => view.findHolder(planHolder(holder, held), options),
    listHeldKeywords: (options?: ReadOptions) =>
      view.listHeldKeywords(planHeldKeywords({ ...HELD_PAGE, holder, status: 'all', orderBy: 'since' }, held), options),
    compareProducts: (options?: ReadOptions) =>
      view.compareProducts(
        planComparison({ ...HELD_PAGE, asins: ['B000000001', 'B000000002'], mode: 'any' }, held),
        options,
      ),
  };
}

async function answersOf(view: RankView, data: TestData) {
  const answers: Record<string, unknown> = {};
  for (const [name, ask] of Object.entries(questionsOf(view, data))) answers[name] = await ask();
  return answers;
}

describe.each(ENGINES)('$name', ({ openStore }) => {
  it('answers a view that was opened before a publication as if there had been none', async () => {
    await using opened = await openStore({ search: older });
    const { store } = opened;
    using view = viewOf(store, older);
    const before = await answersOf(view, older);
    await opened.replace({ search: newer });
    expect(view.periods).toHaveLength(2);
    expect(await answersOf(view, older)).toEqual(before);
    using current = viewOf(store, newer);
    expect(current.periods).toHaveLength(3);
    expect(await current.count(planKeywords(newer, { queries: ['x'] }))).toBe(5);
  });

  it('changes catalog and views in one step, and tells those who follow it once', async () => {
    await using opened = await openStore({ search: older });
    const { store } = opened;
    const { version } = store.catalog;
    const seen: unknown[] = [];
    store.subscribe(() => {
      using view = viewOf(store, newer);
      seen.push([store.catalog.version, store.catalog.periods.length, view.periods.length]);
    });
    await opened.replace({ search: newer });
    expect(seen).toEqual([[version + 1, 3, 3]]);
    expect(store.catalog.totalDataPoints).toBe(7);
  });

  it('has no view of what is not published, and none any more of what was withdrawn', async () => {
    await using opened = await openStore({ search: older });
    const { store } = opened;
    const set = { marketplace: 'US', frequency: 'monthly', source: 'search' } as const;
    for (const other of [{ marketplace: 'DE' }, { frequency: 'weekly' }, { source: 'social' }] as const) {
      expect(store.openView({ ...set, ...other })).toBeUndefined();
    }
    await opened.replace({ social: older });
    expect(store.openView(set)).toBeUndefined();
    using social = viewOf(store, { ...older, source: 'social' });
    expect(social.retail).toBeUndefined();
  });

  it('looks up categories of social ranks in the retail set of the same moment', async () => {
    const toys = (...terms: readonly string[]) =>
      rankedData(terms.map((term, i) => ({ term, rank: i + 1, categories: ['Toys'] })));
    await using opened = await openStore({ search: toys('x one'), social: older });
    using view = viewOf(opened.store, { ...older, source: 'social' });
    await opened.replace({ search: toys('x two'), social: older });
    using later = viewOf(opened.store, { ...older, source: 'social' });
    const termsIn = async (social: RankView) => {
      const context = {
        plan: STUDIO,
        published: social.periods,
        retailPublished: social.retail?.periods ?? [],
      } as const;
      const plan = planSocialRanks({ ...PAGE, queries: [], categories: ['Toys & Games'] }, context);
      return (await social.listSocialRanks(plan)).rows.map(({ searchTerm }) => searchTerm);
    };
    expect([await termsIn(view), await termsIn(later)]).toEqual([['x one'], ['x two']]);
  });

  it('rejects with the reason when it is cancelled, before or while it works, and answers the next question', async () => {
    await using opened = await openStore({ search: newer, social: newer });
    using view = viewOf(opened.store, { ...newer, source: 'social' });
    const reason = new Error('the client left');
    for (const [name, ask] of Object.entries(questionsOf(view, newer))) {
      await expect(ask({ signal: AbortSignal.abort(reason) }), name).rejects.toBe(reason);
      const leaving = new AbortController();
      const asked = ask({ signal: leaving.signal });
      leaving.abort(reason);
      await expect(asked, name).rejects.toBe(reason);
      await expect(ask(), name).resolves.toBeDefined();
    }
  });

  it('refuses a window that is not the newest of its periods, whatever it is asked', async () => {
    await using opened = await openStore({ search: newer, social: newer });
    using view = viewOf(opened.store, { ...newer, source: 'social' });
    const [first, second, third] = newer.periods.map(({ period }) => period);
    if (!first || !second || !third) throw new Error('the data has periods');
    const plan = planKeywords(newer, { queries: ['x'] });
    expect(plan.window).toEqual(view.periods);
    for (const window of [[first, second], [second], [third, second, first], [first, third]]) {
      const terms = { window, terms: ['x one'] };
      const context = { plan: STUDIO, published: view.periods, retailPublished: [] } as const;
      await expect(view.search({ ...plan, window })).rejects.toThrow('is not the newest');
      await expect(view.count({ ...plan, window })).rejects.toThrow('is not the newest');
      await expect(view.listTermRanks(terms)).rejects.toThrow('is not the newest');
      await expect(view.listLatestRanks(terms)).rejects.toThrow('is not the newest');
      await expect(view.listMatches({ plan: { ...plan, window }, terms: ['x'] })).rejects.toThrow('is not the newest');
      const changes = planChanges({ ...PAGE, threshold: 1, direction: undefined }, context);
      await expect(view.listChanges({ ...changes, window })).rejects.toThrow('is not the newest');
      await expect(view.listNewTerms({ ...planNewTerms(PAGE, context), window })).rejects.toThrow('is not the newest');
      await expect(view.listSocialRanks({ ...planSocialRanks(PAGE, context), window })).rejects.toThrow(
        'is not the newest',
      );
      await expect(view.listSeasonal({ ...planSeasons(SEASONS, context), window })).rejects.toThrow(
        'is not the newest',
      );
      const roots = planRoots(ROOTS, context);
      await expect(view.listRoots({ ...roots, search: { ...roots.search, window } })).rejects.toThrow(
        'is not the newest',
      );
      const suggestions = planSuggestions({ text: 'x', frequency: 'monthly', limit: 5 }, context);
      await expect(view.listSuggestions({ ...suggestions, window })).rejects.toThrow('is not the newest');
    }
    expect(await view.count(plan)).toBe(5);
  });
});
