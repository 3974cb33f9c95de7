import { describe, expect, it } from 'vitest';
import type { Frequency, IsoDate } from '../../domain/period.ts';
import { listPeriods, nextRevision } from '../../domain/rank-publisher.ts';
import type { RankSet, RankSource } from '../../domain/store.ts';
import type { StoredFile } from '../../domain/stored-file.ts';
import {
  type DictionaryDelta,
  type DictionaryKind,
  findSnapshot,
  listDictionary,
  listStoredFiles,
  type Manifest,
  type PublishedSnapshot,
  type StoredPeriod,
  withoutPeriods,
  withPrepared,
} from './manifest.ts';

const US_MONTHS: RankSet = { marketplace: 'US', source: 'search', frequency: 'monthly' };
/** Sets that differ from the one above in one thing each. */
const OTHER_SETS: readonly RankSet[] = [
  { ...US_MONTHS, marketplace: 'DE' },
  { ...US_MONTHS, source: 'social' },
  { ...US_MONTHS, frequency: 'weekly' },
];
const SETS = [US_MONTHS, ...OTHER_SETS];

function file(path: string): StoredFile {
  return { path, sizeBytes: 1, sha256: '' };
}

function period(set: RankSet, number: number, path = `${nameOf(set)}-${number}`, revision = 1): StoredPeriod {
  return {
    marketplace: set.marketplace,
    source: set.source,
    period: { frequency: set.frequency, year: 2026, number },
    revision,
    startDate: '2026-01-01' as IsoDate,
    endDate: '2026-01-31' as IsoDate,
    keywords: 1,
    dataPoints: 1,
    publishedAt: new Date(0),
    sourceFile: 'report.csv',
    warnings: [],
    digest: '',
    segment: file(path),
  };
}

function nameOf({ marketplace, source, frequency }: { marketplace: string; source: RankSource; frequency: Frequency }) {
  return `${marketplace}-${source}-${frequency}`;
}

function delta(marketplace: string, kind: DictionaryKind, sequence: number): DictionaryDelta {
  return { marketplace, kind, sequence, nextId: 1, file: file(`${marketplace}-${kind}-${sequence}`) };
}

const snapshots: readonly PublishedSnapshot[] = SETS.map((set) => ({
  ...set,
  files: [file(`${nameOf(set)}/a`), file(`${nameOf(set)}/b`)],
}));

const manifest: Manifest = {
  id: 'a',
  storage: null,
  version: 7,
  computedAt: new Date(1),
  totalDataPoints: 3,
  periods: SETS.flatMap((set) => [period(set, 1), period(set, 3)]),
  dictionaries: [delta('US', 'terms', 1), delta('US', 'brands', 1), delta('DE', 'terms', 1), delta('US', 'terms', 2)],
  snapshots,
  keptRevisions: [
    { published: period(US_MONTHS, 3, 'kept', 4), endedAt: new Date(2), reason: 'replaced' },
    { published: period(US_MONTHS, 5, 'withdrawn', 2), endedAt: new Date(2), reason: 'withdrawn' },
  ],
};

function segments(periods: readonly StoredPeriod[]): readonly string[] {
  return periods.map(({ segment }) => segment.path);
}

describe('a manifest', () => {
  it.each(SETS.map((set) => [nameOf(set), set] as const))('tells the periods and the snapshot of %s', (name, set) => {
    expect(segments(listPeriods(manifest, set))).toEqual([`${name}-1`, `${name}-3`]);
    expect(findSnapshot(manifest, set)).toEqual(snapshots.find((each) => nameOf(each) === name));
  });

  it('has nothing for a set that was never published', () => {
    const set: RankSet = { marketplace: 'FR', source: 'search', frequency: 'monthly' };
    expect(listPeriods(manifest, set)).toEqual([]);
    expect(findSnapshot(manifest, set)).toBeUndefined();
  });

  it('tells the dictionary of one marketplace and kind', () => {
    expect(listDictionary(manifest, { marketplace: 'US', kind: 'terms' }).map(({ sequence }) => sequence)).toEqual([
      1, 2,
    ]);
    expect(listDictionary(manifest, { marketplace: 'DE', kind: 'terms' })).toEqual([delta('DE', 'terms', 1)]);
    expect(listDictionary(manifest, { marketplace: 'DE', kind: 'brands' })).toEqual([]);
  });

  it('gives a revision that is kept to nobody else', () => {
    const next = (set: RankSet, number: number) => nextRevision(manifest, period(set, number));
    expect([1, 2, 3, 5].map((number) => next(US_MONTHS, number))).toEqual([2, 1, 5, 3]);
    expect(OTHER_SETS.map((set) => next(set, 3))).toEqual([2, 2, 2]);
  });

  it('vouches for every segment, delta and file of a snapshot, also of revisions that may come back', () => {
    expect(listStoredFiles(manifest).map(({ path }) => path)).toEqual([
      ...segments(manifest.periods),
      ...['US-terms-1', 'US-brands-1', 'DE-terms-1', 'US-terms-2'],
      ...SETS.flatMap((set) => [`${nameOf(set)}/a`, `${nameOf(set)}/b`]),
      ...['kept', 'withdrawn'],
    ]);
  });
});

describe('a manifest without some periods', () => {
  it('has every other one as it was', () => {
    const next = withoutPeriods(manifest, [period(US_MONTHS, 3), period(US_MONTHS, 4)]);
    expect(segments(listPeriods(next, US_MONTHS))).toEqual([`${nameOf(US_MONTHS)}-1`]);
    for (const set of OTHER_SETS) expect(listPeriods(next, set)).toEqual(listPeriods(manifest, set));
    expect({ ...next, periods: [] }).toEqual({ ...manifest, periods: [] });
  });
});

describe('a manifest with prepared periods', () => {
  const added = delta('US', 'terms', 3);

  it('has them in chronological order, and the new dictionary entries behind the old ones', () => {
    const next = withPrepared(manifest, [{ period: period(US_MONTHS, 2), dictionaries: [added] }]);
    expect(segments(listPeriods(next, US_MONTHS))).toEqual([1, 2, 3].map((number) => `${nameOf(US_MONTHS)}-${number}`));
    expect(next.dictionaries).toEqual([...manifest.dictionaries, added]);
    expect({ ...next, periods: [], dictionaries: [] }).toEqual({ ...manifest, periods: [], dictionaries: [] });
  });

  it('has several of them at once, new ones and revisions', () => {
    const next = withPrepared(manifest, [
      { period: period(US_MONTHS, 3, 'revised'), dictionaries: [] },
      { period: period(US_MONTHS, 2), dictionaries: [added] },
    ]);
    expect(segments(listPeriods(next, US_MONTHS))).toEqual([
      `${nameOf(US_MONTHS)}-1`,
      `${nameOf(US_MONTHS)}-2`,
      'revised',
    ]);
  });

  it('has a period once, in its newest revision, also when two revisions are prepared together', () => {
    const revisions = [2, 3].map((revision) => ({
      period: period(US_MONTHS, 3, `r${revision}`, revision),
      dictionaries: [],
    }));
    const next = withPrepared(
      manifest,
      [revisions[0], { period: period(US_MONTHS, 4), dictionaries: [] }, revisions[1]].flatMap((each) => each ?? []),
    );
    expect(segments(listPeriods(next, US_MONTHS))).toEqual([`${nameOf(US_MONTHS)}-1`, 'r3', `${nameOf(US_MONTHS)}-4`]);
  });

  it('has a revision in place of the same period, and every other period as it was', () => {
    const next = withPrepared(manifest, [{ period: period(US_MONTHS, 1, 'revised'), dictionaries: [] }]);
    expect(segments(listPeriods(next, US_MONTHS))).toEqual(['revised', `${nameOf(US_MONTHS)}-3`]);
    for (const set of OTHER_SETS) expect(listPeriods(next, set)).toEqual(listPeriods(manifest, set));
  });
});
