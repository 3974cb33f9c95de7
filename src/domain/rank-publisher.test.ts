import { expect, it } from 'vitest';
import { isAt, nextRevision, type RevisionCatalog } from './rank-publisher.ts';
import type { PeriodPlace, PublishedPeriod } from './store.ts';

const place = {
  marketplace: 'US',
  source: 'search',
  period: { frequency: 'monthly', year: 2026, number: 3 },
} as const satisfies PeriodPlace;
const elsewhere: readonly PeriodPlace[] = [
  { ...place, marketplace: 'DE' },
  { ...place, source: 'social' },
  { ...place, period: { ...place.period, number: 4 } },
];

it('tells places apart by marketplace, source and period', () => {
  expect(isAt({ ...place }, place)).toBe(true);
  for (const other of elsewhere) expect(isAt(other, place)).toBe(false);
});

it('numbers revisions of a period behind those that are published or kept, from 1', () => {
  const revisionsOf = (at: PeriodPlace, revision: number) => ({ ...at, revision }) as PublishedPeriod;
  const catalog = (published: readonly PublishedPeriod[], kept: readonly PublishedPeriod[]) =>
    ({ periods: published, keptRevisions: kept.map((each) => ({ published: each })) }) as unknown as RevisionCatalog;
  const others = elsewhere.map((other) => revisionsOf(other, 9));
  expect(nextRevision(catalog([], []), place)).toBe(1);
  expect(nextRevision(catalog(others, others), place)).toBe(1);
  expect(nextRevision(catalog([...others, revisionsOf(place, 2)], [revisionsOf(place, 1)]), place)).toBe(3);
  expect(nextRevision(catalog(others, [revisionsOf(place, 4), revisionsOf(place, 3)]), place)).toBe(5);
});
