// The files of rows while they are served: damage is an error and never data, and no descriptor outlives its snapshot.
import { cp, open, readdir, readFile, readlink, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HELD_ORDERS, type HeldOrder, planHeldKeywords, planHolder, planTermHistory } from '../../src/domain/holder.ts';
import { OWNER } from '../../src/domain/plan.ts';
import type { RankView } from '../../src/domain/store.ts';
import { DamagedSnapshotError } from '../../src/snapshot/format/format.ts';
import { SnapshotStore } from '../../src/snapshot/snapshot-store.ts';
import { rankedData } from '../store/search-fixture.ts';
import { buildSet } from '../store/snapshot-engine.ts';
import type { TestRow } from '../support/rank-data.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const SET = { marketplace: 'US', frequency: 'monthly', source: 'search' } as const;
const WORKER_FOLDER = new URL('../../dist/snapshot/threads/', import.meta.url);
const BLOCK_BYTES = 4096;
const LARGE = 'B0000LARGE';
const ROWS = 5_000;

/** One product stands in every row, at a place and with a share that follow from the row; the second month lacks each third row. */
function rowsOf(month: number): readonly TestRow[] {
  return Array.from({ length: ROWS }, (_, i): TestRow => {
    const small = { asin: `B${String(i % 977).padStart(9, '0')}`, title: '', clickShare: 1, conversionShare: null };
    const large = { asin: LARGE, title: 'Everywhere', clickShare: (i % 100) + month, conversionShare: 2 };
    return { term: `term ${i}`, rank: i + 1, products: i % 2 === 0 ? [large, small] : [small, large] };
  }).filter((_, i) => month === 0 || i % 3 !== 0);
}

const data = rankedData(rowsOf(0), rowsOf(1));
const HELD = ROWS - Math.ceil(ROWS / 3);
const context = { plan: OWNER, frequency: 'monthly', published: data.periods.map(({ period }) => period) } as const;
const holder = { kind: 'product', asin: LARGE } as const;
const list = { periodKey: undefined, queries: [], offset: 0, limit: 1000, orderDirection: undefined, holder } as const;

let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let whole: string;
beforeAll(async () => {
  directory = await openTemporaryDirectory();
  whole = await buildSet(directory.path, SET, data);
}, 120_000);
afterAll(() => directory[Symbol.asyncDispose]());

function openStore(): SnapshotStore {
  return new SnapshotStore({ workerCount: 2, maxQueued: 1000, workerFolder: WORKER_FOLDER });
}

function viewOf(store: SnapshotStore): RankView {
  const view = store.openView(SET);
  if (!view) throw new Error('nothing is published');
  return view;
}

async function copyOf(name: string): Promise<string> {
  const copy = join(directory.path, name);
  await cp(whole, copy, { recursive: true });
  return copy;
}

async function flipByteAt(path: string, at: number): Promise<void> {
  await using file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ 1;
  await file.write(byte, 0, 1, at);
}

/** Files of rows that this process has open. */
async function listOpenRows(): Promise<readonly string[]> {
  const links = (await readdir('/proc/self/fd')).map((name) => readlink(`/proc/self/fd/${name}`).catch(() => ''));
  return (await Promise.all(links)).filter((path) => path.includes(directory.path) && path.includes('/rows-'));
}

describe('a flipped byte in a file of rows', () => {
  it('fails the questions that read it, wherever it is, and no others', async () => {
    const copy = await copyOf('flipped');
    const path = join(copy, 'rows-01-2024.0.bin');
    const blocks = (await readFile(path)).length / BLOCK_BYTES;
    await using store = openStore();
    await store.publish(copy);
    using view = viewOf(store);
    const plan = planTermHistory('term 2500', context);
    const before = await view.listTermPeriods(plan);
    expect(before.map(({ products }) => products.length)).toEqual([2, 2]);
    let failures = 0;
    for (let block = 0; block < blocks; block += 1) {
      await flipByteAt(path, block * BLOCK_BYTES + ((block * 37) % BLOCK_BYTES));
      // Another block is read in between, so that none is answered from what was read before.
      await view.listTermPeriods(planTermHistory('term 4999', context)).catch(() => {});
      const answer = await view.listTermPeriods(plan).catch((error: Error) => error.message);
      if (typeof answer === 'string') {
        failures += 1;
        expect(answer).toContain('damaged in block');
      } else expect(answer).toEqual(before);
      await flipByteAt(path, block * BLOCK_BYTES + ((block * 37) % BLOCK_BYTES));
    }
    // A record lies in one block or in two.
    expect(failures).toBeGreaterThanOrEqual(1);
    expect(failures).toBeLessThanOrEqual(2);
    expect(await view.listTermPeriods(plan)).toEqual(before);
  }, 120_000);

  it('is noticed by a product page and by its list of keywords', async () => {
    const copy = await copyOf('page');
    await using store = openStore();
    await store.publish(copy);
    using view = viewOf(store);
    const page = await view.findHolder(planHolder(holder, context));
    expect(page?.periods.map((period) => period?.places)).toEqual([
      [ROWS / 2, ROWS / 2, 0],
      [1666, 1667, 0],
    ]);
    const path = join(copy, 'rows-02-2024.0.bin');
    const size = (await readFile(path)).length;
    for (let at = 0; at < size; at += BLOCK_BYTES) await flipByteAt(path, at + 99);
    await expect(view.findHolder(planHolder(holder, context))).rejects.toThrow('damaged in block');
    const plan = planHeldKeywords({ ...list, status: 'held', orderBy: 'place' }, context);
    await expect(view.listHeldKeywords(plan)).rejects.toThrow('damaged in block');
  });
});

describe('a snapshot', () => {
  it.each([
    ['without a file of rows', (path: string) => rm(path)],
    ['whose file of rows is cut', async (path: string) => await truncate(path, 4096)],
  ])('%s is not served', async (name, damage) => {
    const copy = await copyOf(name.replaceAll(' ', '-'));
    await damage(join(copy, 'rows-01-2024.0.bin'));
    await using store = openStore();
    await expect(store.publish(copy)).rejects.toThrow(DamagedSnapshotError);
    expect(await listOpenRows()).toEqual([]);
  });

  it('has its files open while it is served or seen, and closed when it is forgotten', async () => {
    const [first, second] = [await copyOf('first'), await copyOf('second')];
    {
      await using store = openStore();
      await store.publish(first);
      expect(await listOpenRows()).toHaveLength(2);
      const view = viewOf(store);
      await store.publish(second);
      expect(await listOpenRows()).toHaveLength(4);
      // Removed as an import does with what it replaced.
      await rm(first, { recursive: true });
      expect(await view.findHolder(planHolder(holder, context))).toMatchObject({ title: 'Everywhere' });
      view[Symbol.dispose]();
      await expect.poll(async () => (await listOpenRows()).length).toBe(2);
      const unused = await store.prepare(second);
      expect(await listOpenRows()).toHaveLength(4);
      await unused[Symbol.asyncDispose]();
      expect(await listOpenRows()).toHaveLength(2);
    }
    expect(await listOpenRows()).toEqual([]);
  }, 60_000);
});

describe('a product with thousands of keywords', () => {
  it('is listed page by page in every order, each keyword once', async () => {
    await using store = openStore();
    await store.publish(whole);
    using view = viewOf(store);
    for (const orderBy of Object.keys(HELD_ORDERS) as HeldOrder[]) {
      const seen: string[] = [];
      for (let offset = 0; offset < HELD + 1000; offset += 1000) {
        const plan = planHeldKeywords({ ...list, offset, status: 'held', orderBy }, context);
        const page = await view.listHeldKeywords(plan);
        expect(page?.totalCount).toBe(HELD);
        seen.push(...(page?.rows.map(({ searchTerm }) => searchTerm) ?? []));
      }
      expect([seen.length, new Set(seen).size], orderBy).toEqual([HELD, HELD]);
    }
    const left = planHeldKeywords({ ...list, limit: 2, status: 'left', orderBy: 'search_rank' }, context);
    expect(await view.listHeldKeywords(left)).toMatchObject({ totalCount: ROWS - HELD, rows: [{ rank: null }, {}] });
  }, 60_000);
});
