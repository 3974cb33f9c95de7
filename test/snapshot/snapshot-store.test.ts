import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILE_FORMATS } from '../../src/domain/keyword-export.ts';
import { STUDIO } from '../../src/domain/plan.ts';
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import { type RankSet, StoreOverloadError } from '../../src/domain/store.ts';
import { FILE_FORMS } from '../../src/export/export-file.ts';
import { keywordTable } from '../../src/export/keyword-table.ts';
import { SnapshotStore } from '../../src/snapshot/snapshot-store.ts';
import { expectedPage, searchEverything } from '../store/oracle.ts';
import { planKeywords, rankedData } from '../store/search-fixture.ts';
import { buildSet } from '../store/snapshot-engine.ts';
import { bytesOf, keywordExport } from '../support/keyword-export.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { openEngine } from './engine.ts';

const SET: RankSet = { marketplace: 'US', frequency: 'monthly', source: 'search' };
const WORKER_FOLDER = new URL('../../dist/snapshot/threads/', import.meta.url);

const data = rankedData(['x one', 'x two', 'three'], ['x four', 'x two']);
const plan = planKeywords(data, { queries: ['x'] });
const expected = expectedPage(data, plan);
const [first, ...others] = plan.window;
if (!first) throw new Error('the plan has no periods');

const frame = () => ({ before: '', after: '' });

let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let older: string;
let newer: string;

beforeAll(async () => {
  directory = await openTemporaryDirectory();
  await openEngine(directory.path, data, { steps: [1] });
  older = join(directory.path, 'snapshot-0');
  newer = join(directory.path, 'snapshot-1');
});
afterAll(() => directory[Symbol.asyncDispose]());

function openStore({ workerCount = 2, maxQueued = 100 } = {}): SnapshotStore {
  return new SnapshotStore({ workerCount, maxQueued, workerFolder: WORKER_FOLDER });
}

function textOf(json: Uint8Array): string {
  return Buffer.from(json).toString('utf8');
}

describe('the snapshot store', () => {
  it('answers pages from its worker threads', async () => {
    await using store = openStore();
    expect(await store.publish(newer)).toEqual(SET);
    using view = store.openView(SET);
    const page = await view?.presenter?.searchPage(plan, { frame });
    expect(page?.totalCount).toBe(expected.totalCount);
    expect(textOf(page?.json ?? new Uint8Array())).toBe(expected.dataJson);
  });

  it.each(FILE_FORMATS)('writes the rows as %s, with the unknown kept apart from zero', async (fileFormat) => {
    await using store = openStore();
    await store.publish(newer);
    using view = store.openView(SET);
    if (!view?.presenter) throw new Error('nothing is published');
    const rows = searchEverything(data, plan);
    const { batches, ...content } = keywordExport(rows, { periods: [first, ...others] });
    const place = { temporaryDirectory: join(directory.path, 'exports') };
    const rowCounts: number[] = [];
    const onRows = (rowCount: number) => rowCounts.push(rowCount);
    const written = await bytesOf(view.presenter.openExport(plan, { file: { content, fileFormat, ...place }, onRows }));
    expect(written).toEqual(await bytesOf(FILE_FORMS[fileFormat].open(keywordTable({ ...content, batches }), place)));
    expect(rowCounts.at(-1)).toBe(rows.length);
  });

  it('has no view on what is not published', async () => {
    await using store = openStore();
    await store.publish(newer);
    expect(store.openView({ ...SET, marketplace: 'DE' })).toBeUndefined();
    store.withdraw(SET);
    expect(store.openView(SET)).toBeUndefined();
  });

  it('lets requests in flight finish on the snapshot that they opened', async () => {
    await using store = openStore();
    await store.publish(older);
    const view = store.openView(SET);
    await store.publish(newer);
    using current = store.openView(SET);
    expect(view?.periods).toHaveLength(1);
    expect(current?.periods).toHaveLength(2);
    const oldPlan = { ...plan, window: view?.periods ?? [] };
    expect((await view?.presenter?.searchPage(oldPlan, { frame }))?.totalCount).toBe(2);
    expect((await current?.presenter?.searchPage(plan, { frame }))?.totalCount).toBe(3);
    view?.[Symbol.dispose]();
    // Closed and replaced: the old snapshot is gone from the workers.
    await expect(view?.presenter?.searchPage(oldPlan, { frame })).rejects.toThrow('not attached');
  });

  it('frees the retail snapshot of a social view with it, and not before', async () => {
    const social = await buildSet(join(directory.path, 'social'), { ...SET, source: 'social' }, data);
    await using store = openStore();
    await store.publish(older);
    await store.publish(social);
    const view = store.openView({ ...SET, source: 'social' });
    await store.publish(newer);
    const retailPlan = { ...plan, window: view?.retail?.periods ?? [] };
    expect(await view?.retail?.count(retailPlan)).toBe(2);
    view?.[Symbol.dispose]();
    await expect(view?.retail?.count(retailPlan)).rejects.toThrow('not attached');
  });

  it('refuses searches past its queue with a typed error', async () => {
    await using store = openStore({ workerCount: 1, maxQueued: 2 });
    await store.publish(newer);
    using view = store.openView(SET);
    const settled = await Promise.allSettled(
      Array.from({ length: 6 }, () => view?.presenter?.searchPage(plan, { frame })),
    );
    const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused).toHaveLength(3);
    for (const reason of refused) {
      expect(reason).toBeInstanceOf(StoreOverloadError);
      expect(reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
    }
  });

  it('says before a search is counted that there is no room, and again that there is', async () => {
    await using store = openStore({ workerCount: 1, maxQueued: 2 });
    await store.publish(newer);
    using view = store.openView(SET);
    store.checkRoom();
    const searches = Array.from({ length: 3 }, () => view?.presenter?.searchPage(plan, { frame }));
    expect(() => store.checkRoom()).toThrow(StoreOverloadError);
    await Promise.all(searches);
    store.checkRoom();
  });

  it('lets owners take turns, and tells only the one that asks for too much', async () => {
    await using store = openStore({ workerCount: 1, maxQueued: 50 });
    await store.publish(newer);
    using greedy = store.openView(SET, 'greedy');
    using other = store.openView(SET, 'other');
    const order: string[] = [];
    const note = (owner: string) => () => void order.push(owner);
    // One is taken at once, the others wait.
    const searches = Array.from({ length: 51 }, () =>
      greedy?.presenter?.searchPage(plan, { frame }).then(note('greedy')),
    );
    expect(() => store.checkRoom('greedy')).toThrow(StoreOverloadError);
    store.checkRoom('other');
    store.checkRoom();
    await Promise.all([...searches, other?.presenter?.searchPage(plan, { frame }).then(note('other'))]);
    expect(order.indexOf('other')).toBe(2);
  });

  it('goes on with other exports when one fails, is given up, or loses its reader', async () => {
    await using store = openStore();
    await store.publish(newer);
    using view = store.openView(SET);
    if (!view?.presenter) throw new Error('nothing is published');
    const { batches: _, ...content } = keywordExport(searchEverything(data, plan), { periods: [first, ...others] });
    const file = { content, fileFormat: 'xlsx', temporaryDirectory: directory.path } as const;
    const wrong = { ...content, description: { ...content.description, rowCount: 99 } };
    await expect(bytesOf(view.presenter.openExport(plan, { file: { ...file, content: wrong } }))).rejects.toThrow(
      'announced',
    );
    const reason = new Error('the client left');
    await expect(bytesOf(view.presenter.openExport(plan, { file, signal: AbortSignal.abort(reason) }))).rejects.toBe(
      reason,
    );
    for await (const _ of view.presenter.openExport(plan, { file })) break;
    expect((await bytesOf(view.presenter.openExport(plan, { file }))).length).toBeGreaterThan(1000);
  });

  it('is closed in the middle of an export, which then fails', async () => {
    const store = openStore();
    await store.publish(newer);
    const view = store.openView(SET);
    if (!view?.presenter) throw new Error('nothing is published');
    const { batches: _, ...content } = keywordExport(searchEverything(data, plan), { periods: [first, ...others] });
    const file = { content, fileFormat: 'parquet', temporaryDirectory: join(directory.path, 'exports') } as const;
    const written = bytesOf(view.presenter.openExport(plan, { file }));
    written.catch(() => {});
    await store[Symbol.asyncDispose]();
    await expect(written).rejects.toThrow('closed');
  });

  it('gives up cancelled searches, queued or running, and goes on with the others', async () => {
    await using store = openStore({ workerCount: 1 });
    await store.publish(newer);
    using view = store.openView(SET);
    const reason = new Error('the client left');
    const controller = new AbortController();
    const cancelled = [1, 2, 3].map(() => view?.presenter?.searchPage(plan, { frame, signal: controller.signal }));
    const kept = view?.presenter?.searchPage(plan, { frame });
    controller.abort(reason);
    for (const each of cancelled) await expect(each).rejects.toBe(reason);
    expect((await kept)?.totalCount).toBe(expected.totalCount);
    await expect(view?.presenter?.searchPage(plan, { frame, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(store.load).toEqual({ queued: 0, running: 0 });
  });

  it('passes on what goes wrong in a worker and keeps serving', async () => {
    await using store = openStore({ workerCount: 1 });
    await store.publish(newer);
    using view = store.openView(SET);
    const wrong = { ...plan, window: plan.window.slice(1, 2).concat(plan.window, plan.window) };
    await expect(view?.presenter?.searchPage(wrong, { frame })).rejects.toThrow('is not the newest');
    expect((await view?.presenter?.searchPage(plan, { frame }))?.totalCount).toBe(expected.totalCount);
  });

  it('fails searches while its worker cannot be loaded', async () => {
    await using store = new SnapshotStore({
      workerCount: 1,
      maxQueued: 9,
      workerFolder: new URL('file:///no/such/folder/'),
    });
    await store.publish(newer);
    using view = store.openView(SET);
    for (let n = 0; n < 3; n += 1) {
      await expect(view?.presenter?.searchPage(plan, { frame })).rejects.toThrow(/worker\.js|too many searches/);
    }
  });
});

describe('a narrow window', () => {
  const many = rankedData(
    ...Array.from({ length: 8 }, (_, i) => ['x always', `x ${i}`, `x odd ${i % 2}`, 'x last'].slice(0, 2 + (i % 3))),
  );
  const planOf = (months: number) => planKeywords(many, { queries: ['x'], orderBy: 'avg_rank' }, { ...STUDIO, months });
  let seven: string;
  let eight: string;
  beforeAll(async () => {
    const path = join(directory.path, 'many');
    await openEngine(path, many, { steps: [7] });
    [seven, eight] = [join(path, 'snapshot-0'), join(path, 'snapshot-1')];
  });

  async function pageOf(store: SnapshotStore, asked: SearchPlan) {
    using view = store.openView(SET);
    const page = await view?.presenter?.searchPage(asked, { frame });
    return { totalCount: page?.totalCount, dataJson: textOf(page?.json ?? new Uint8Array()) };
  }

  it('is answered as by the oracle, by fifty searches at once, from one copy of its summaries', async () => {
    await using store = openStore();
    await store.publish(eight);
    const before = store.residentBytes;
    const pages = await Promise.all(Array.from({ length: 50 }, () => pageOf(store, planOf(3))));
    for (const page of pages) expect(page).toEqual(expectedPage(many, planOf(3)));
    const documents = searchEverything(many, planOf(3)).length;
    const newcomers = store.residentBytes - before - 14 * documents;
    expect(newcomers).toBeGreaterThanOrEqual(0);
    expect(newcomers).toBeLessThan(14 * documents);
    const known = store.residentBytes;
    await pageOf(store, planOf(3));
    expect(store.residentBytes).toBe(known);
  });

  it.each(FILE_FORMATS)('is exported as %s without a search before it', async (fileFormat) => {
    await using store = openStore();
    await store.publish(eight);
    using view = store.openView(SET);
    if (!view?.presenter) throw new Error('nothing is published');
    const asked = planOf(5);
    const [oldest, ...rest] = asked.window;
    if (!oldest) throw new Error('the plan has no periods');
    const { batches, ...content } = keywordExport(searchEverything(many, asked), { periods: [oldest, ...rest] });
    const place = { temporaryDirectory: join(directory.path, 'exports') };
    const written = await bytesOf(view.presenter.openExport(asked, { file: { content, fileFormat, ...place } }));
    expect(written).toEqual(await bytesOf(FILE_FORMS[fileFormat].open(keywordTable({ ...content, batches }), place)));
  });

  it('that is in use is summarized before a newer snapshot is swapped in', async () => {
    await using store = openStore();
    await store.publish(seven);
    using old = store.openView(SET);
    await old?.count({ ...planOf(3), window: old.periods.slice(-3) });
    const prepared = await store.prepare(eight);
    const before = store.residentBytes;
    prepared.publish();
    const swapped = store.residentBytes;
    expect(await pageOf(store, planOf(3))).toEqual(expectedPage(many, planOf(3)));
    expect(store.residentBytes).toBe(swapped);
    expect(swapped).not.toBe(before);
    // One that was not in use is computed by the first who asks.
    expect(await pageOf(store, planOf(4))).toEqual(expectedPage(many, planOf(4)));
    expect(store.residentBytes).toBeGreaterThan(swapped);
  });
});
