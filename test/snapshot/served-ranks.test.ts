// Following the manifest through failures: the old state is served meanwhile, and the newest in the end.
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RankSet } from '../../src/domain/store.ts';
import type { Manifest } from '../../src/snapshot/manifest/manifest.ts';
import { followVersions } from '../../src/snapshot/manifest/manifest-rows.ts';
import { ServedRanks, type ServedRanksOptions } from '../../src/snapshot/served-ranks.ts';
import { SnapshotStore } from '../../src/snapshot/snapshot-store.ts';
import { periodAt, rankedData } from '../store/search-fixture.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { openEngine } from './engine.ts';

const SET: RankSet = { marketplace: 'US', frequency: 'monthly', source: 'search' };
const WORKER_FOLDER = new URL('../../dist/snapshot/threads/', import.meta.url);

let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
beforeAll(async () => {
  directory = await openTemporaryDirectory();
  await openEngine(directory.path, rankedData(['x one'], ['x two']), { steps: [1] });
});
afterAll(() => directory[Symbol.asyncDispose]());

function manifestOf(version: number, snapshot = `snapshot-${version - 1}`): Manifest {
  const file = { path: `${snapshot}/snapshot.json`, sizeBytes: 0, sha256: '' };
  return {
    ...{
      id: '',
      storage: null,
      computedAt: null,
      totalDataPoints: 0,
      periods: [],
      keptRevisions: [],
      dictionaries: [],
    },
    version,
    snapshots: [{ ...SET, files: [file] }],
  };
}

async function openRanks(options: Partial<ServedRanksOptions> = {}) {
  const store = new SnapshotStore({ workerCount: 1, maxQueued: 10, workerFolder: WORKER_FOLDER });
  const published = { manifest: manifestOf(1) };
  const errors: unknown[] = [];
  const ranks = await ServedRanks.open({
    store,
    dataDirectory: directory.path,
    loadManifest: async () => published.manifest,
    onError: (error) => errors.push(error),
    ...options,
  });
  return {
    ranks,
    published,
    errors,
    periods: () => {
      using view = ranks.openView(SET);
      return view?.periods;
    },
    [Symbol.asyncDispose]: async () => {
      await ranks[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

describe('served ranks', () => {
  it('that cannot be loaded are tried again until they can, and say how far behind they are', async () => {
    await using served = await openRanks();
    const { ranks, published, errors } = served;
    let heardOf = 0;
    ranks.subscribe(() => {
      heardOf = ranks.catalog.version;
    });
    expect(ranks.lag).toEqual({ servedVersion: 1, wantedVersion: 1, behindSeconds: 0, failures: 0, fault: null });
    await rename(join(directory.path, 'snapshot-1'), join(directory.path, 'away'));
    published.manifest = manifestOf(2);
    ranks.hear(2);
    await expect.poll(() => errors.length).toBeGreaterThanOrEqual(2);
    expect(ranks.lag).toMatchObject({ servedVersion: 1, wantedVersion: 2 });
    expect(ranks.lag.failures).toBeGreaterThanOrEqual(2);
    expect(ranks.lag.behindSeconds).toBeGreaterThan(0);
    expect(served.periods()).toEqual([periodAt(0)]);
    await rename(join(directory.path, 'away'), join(directory.path, 'snapshot-1'));
    await expect.poll(() => ranks.catalog.version).toBe(2);
    expect(ranks.lag).toEqual({ servedVersion: 2, wantedVersion: 2, behindSeconds: 0, failures: 0, fault: null });
    expect(served.periods()).toEqual([periodAt(0), periodAt(1)]);
    expect(heardOf).toBe(2);
  }, 60_000);

  it('are mended when the snapshot itself is at fault', async () => {
    let repairs = 0;
    await using served = await openRanks({
      repair: async () => {
        repairs += 1;
        served.published.manifest = manifestOf(3, 'snapshot-1');
      },
    });
    served.published.manifest = manifestOf(2, 'nowhere');
    served.ranks.hear(2);
    await expect.poll(() => served.ranks.catalog.version).toBe(3);
    expect(repairs).toBe(1);
  }, 30_000);

  it('are found without anybody telling', async () => {
    await using served = await openRanks();
    using _following = await followVersions({
      loadVersion: async () => served.published.manifest.version,
      listener: { subscribe: async () => {} },
      onVersion: (version) => served.ranks.hear(version),
    });
    served.published.manifest = manifestOf(2);
    await expect.poll(() => served.ranks.catalog.version).toBe(2);
  }, 60_000);

  it('change for all sets together, or for none', async () => {
    await using served = await openRanks();
    const other = { ...SET, frequency: 'weekly' as const };
    const manifest = manifestOf(2);
    served.published.manifest = {
      ...manifest,
      snapshots: [...manifest.snapshots, { ...other, files: [{ path: 'nowhere/x', sizeBytes: 0, sha256: '' }] }],
    };
    served.ranks.hear(2);
    await expect.poll(() => served.errors.length).toBeGreaterThanOrEqual(1);
    expect(served.periods()).toEqual([periodAt(0)]);
  }, 30_000);
});
