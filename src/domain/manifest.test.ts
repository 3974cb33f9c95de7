import { expect, it } from 'vitest';
import { type Manifest, type PublishedPeriod, withPrepared } from './manifest.ts';
import type { IsoDate } from './period.ts';

const period = (number: number, revision: number): PublishedPeriod => ({
  marketplace: 'US',
  source: 'search',
  period: { frequency: 'monthly', year: 2026, number },
  revision,
  startDate: '2026-01-01' as IsoDate,
  endDate: '2026-01-31' as IsoDate,
  keywords: 1,
  dataPoints: 1,
  publishedAt: new Date(0),
  sourceFile: 'report.csv',
  warnings: [],
  digest: '',
  segment: { path: `segments/${number}-r${revision}`, sizeBytes: 1, sha256: '' },
});

const manifest: Manifest = {
  id: '',
  version: 1,
  computedAt: null,
  totalDataPoints: 0,
  periods: [period(1, 1), period(2, 1)],
  dictionaries: [],
  snapshots: [],
  keptRevisions: [],
};

it('drafts a period once, in its newest revision, also when two revisions are prepared together', () => {
  const prepared = [period(2, 2), period(3, 1), period(2, 3)].map((each) => ({ period: each, dictionaries: [] }));
  const draft = withPrepared(manifest, prepared);
  expect(draft.periods).toEqual([period(1, 1), period(2, 3), period(3, 1)]);
});
