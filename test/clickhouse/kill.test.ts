// Publishing to ClickHouse is all or nothing, whatever dies: the import itself, or a node of the cluster.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBuild } from '../../src/clickhouse/fill/build.ts';
import { RequestError } from '../../src/domain/error.ts';
import type { RankView } from '../../src/domain/store.ts';
import { openStoreOver } from '../store/clickhouse-engine.ts';
import { planKeywords, rankedData } from '../store/search-fixture.ts';
import { buildSet } from '../store/snapshot-engine.ts';
import { NO_CLICKHOUSE, openTestClickHouse, startCluster, type TestCluster } from '../support/clickhouse.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { openKilledPublishing } from './killed-publishing.ts';

const KILLS = 10;
const SET = { marketplace: 'US', frequency: 'monthly', source: 'search' } as const;
const TERMS = 2_000;

const older = rankedData(Array.from({ length: TERMS }, (_, i) => `shoe ${i}`));
const newer = rankedData(
  Array.from({ length: TERMS }, (_, i) => `shoe ${i}`),
  Array.from({ length: TERMS }, (_, i) => `shoe ${TERMS - i}`),
);

describe.skipIf(NO_CLICKHOUSE)(`publishing to ClickHouse (${NO_CLICKHOUSE ?? 'two nodes'})`, () => {
  it(`shows one whole version, and leaves nothing behind, when it is killed ${KILLS} times`, async () => {
    await using publishing = await openKilledPublishing();
    const seen: string[] = [];
    // From before the first statement to behind the last.
    for (let i = 0; i < KILLS; i += 1) seen.push(await publishing.kill(0.3 + (0.8 * i) / KILLS));
    expect(seen).toContain('before');
  }, 900_000);
});

describe.skipIf(NO_CLICKHOUSE || process.env.KEYRANK_TEST_CLICKHOUSE_URL)('a node of ClickHouse that dies', () => {
  it('never makes an answer partial: it is whole, or a 503 that says when to come again', async () => {
    const cluster = await startCluster();
    await using test = await openTestClickHouse(cluster);
    await using directory = await openTemporaryDirectory();
    const { clickHouse } = test;
    const dataDirectory = directory.path;
    const build = openBuild({ clickHouse, dataDirectory });
    const path = await buildSet(join(dataDirectory, 'older'), SET, older, {}, build);
    const store = openStoreOver(clickHouse, dataDirectory);
    (await store.prepare(path)).publish();
    for (const [i, node] of cluster.nodes.entries()) {
      using view = store.openView(SET) ?? fail();
      const asking = askUntil(view);
      await asking.answered();
      await node.kill();
      await asking.refused();
      // Whatever is being published fails, and nothing of it is there to be seen.
      const next = join(dataDirectory, `newer-${i}`);
      await mkdir(next);
      await expect(buildSet(next, SET, newer, {}, build)).rejects.toThrow();
      await node.start();
      await asking.answered();
      expect(await asking.end()).toEqual([]);
      await expect(store.prepare(join(next, 'snapshot-0'))).rejects.toThrow('is not in ClickHouse as a whole');
    }
    await killDuringPublishing(cluster, { build, dataDirectory });
    const again = await buildSet(join(dataDirectory, 'again'), SET, newer, {}, build);
    (await store.prepare(again)).publish();
    using view = store.openView(SET) ?? fail();
    expect(await view.count(planKeywords(newer, { queries: ['shoe'] }))).toBe(TERMS + 1);
    for (const node of cluster.nodes) await node.kill();
  }, 600_000);
});

async function killDuringPublishing(
  { nodes }: TestCluster,
  { build, dataDirectory }: { readonly build: ReturnType<typeof openBuild>; readonly dataDirectory: string },
): Promise<void> {
  for (const [i, node] of nodes.entries()) {
    const building = buildSet(join(dataDirectory, `killed-${i}`), SET, newer, {}, build);
    const ended = building.then(
      () => 'done',
      () => 'failed',
    );
    await new Promise((resolve) => setTimeout(resolve, 300 + 200 * i));
    await node.kill();
    expect(['done', 'failed']).toContain(await ended);
    await node.start();
  }
}

/** Asks without a pause, and keeps every answer that is neither whole nor an honest refusal. */
function askUntil(view: RankView) {
  const plan = planKeywords(older, { queries: ['shoe'], orderBy: 'latest_rank', limit: 100 });
  const wrong: unknown[] = [];
  const counts = { answered: 0, refused: 0 };
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      try {
        const { totalCount, rows } = await view.search(plan);
        const isWhole = rows.every(({ searchTerm }, i) => searchTerm === `shoe ${i}`);
        if (totalCount !== TERMS || rows.length !== 100 || !isWhole) wrong.push({ totalCount, rows });
        counts.answered += 1;
      } catch (error) {
        const isHonest = error instanceof RequestError && error.code === 'SERVICE_UNAVAILABLE';
        if (!isHonest || !error.retryAfterSeconds) wrong.push(error);
        counts.refused += 1;
      }
    }
  })();
  const more = async (kind: keyof typeof counts) => {
    const before = counts[kind];
    while (counts[kind] < before + 3) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  return {
    answered: () => more('answered'),
    refused: () => more('refused'),
    end: async () => {
      isOver = true;
      await asking;
      return wrong;
    },
  };
}

function fail(): never {
  throw new Error('nothing is published');
}
