// Nodes of a cluster that die while they are asked and while they are filled: every answer is whole or an honest refusal, and what was
// being published is there as a whole or not at all.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GenerationMissingError } from '../../src/clickhouse/clickhouse-store.ts';
import { openBuild } from '../../src/clickhouse/fill/build.ts';
import { RequestError } from '../../src/domain/error.ts';
import type { RankView } from '../../src/domain/store.ts';
import { openStoreOver } from '../store/clickhouse-engine.ts';
import { planKeywords, rankedData } from '../store/search-fixture.ts';
import { buildSet } from '../store/snapshot-engine.ts';
import { type ClickHouseNode, openTestClickHouse, startCluster } from '../support/clickhouse.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const SET = { marketplace: 'US', frequency: 'monthly', source: 'search' } as const;
const TERMS = 2_000;
const CLIENTS = 3;

const older = rankedData(Array.from({ length: TERMS }, (_, i) => `shoe ${i}`));
const newer = rankedData(
  Array.from({ length: TERMS }, (_, i) => `shoe ${i}`),
  Array.from({ length: TERMS }, (_, i) => `shoe ${TERMS - i}`),
);

export interface KilledNodes extends AsyncDisposable {
  readonly nodeCount: number;
  readonly answers: { readonly whole: number; readonly refused: number };
  /** Kills a node while clients search, and says what was neither whole nor an honest refusal. */
  killWhileSearched(node: number): Promise<readonly unknown[]>;
  /** Kills a node so long after a publication began, and repeats that when the node is back. */
  killWhilePublishing(node: number, afterMs: number): Promise<'before' | 'after'>;
}

export async function openKilledNodes(): Promise<KilledNodes> {
  const { nodes, ...cluster } = await startCluster();
  const test = await openTestClickHouse({ nodes, ...cluster });
  const directory = await openTemporaryDirectory();
  const dataDirectory = directory.path;
  const build = openBuild({ clickHouse: test.clickHouse, dataDirectory, threads: 1 });
  const store = openStoreOver(test.clickHouse, dataDirectory);
  (await store.prepare(await buildSet(join(dataDirectory, 'older'), SET, older, {}, build))).publish();
  const answers = { whole: 0, refused: 0 };
  let published = 0;
  const publishNewer = (name: string): Promise<string> => buildSet(join(dataDirectory, name), SET, newer, {}, build);
  const openView = (): RankView => {
    const view = store.openView(SET);
    if (!view) throw new Error('nothing is published');
    return view;
  };
  const checkNewer = async (path: string): Promise<void> => {
    (await store.prepare(path)).publish();
    using view = openView();
    const { totalCount, rows } = await view.search(planKeywords(newer, { queries: ['shoe'], orderBy: 'latest_rank' }));
    // The only term of the older period alone, and the first of the newer.
    const isNewer = rows[0]?.searchTerm === 'shoe 0' && rows[1]?.searchTerm === `shoe ${TERMS}`;
    if (totalCount !== TERMS + 1 || !isNewer) throw new Error(`${totalCount} are shown, ${rows[0]?.searchTerm} first`);
  };
  const nodeAt = (i: number): ClickHouseNode => {
    const node = nodes[i];
    if (!node) throw new Error(`there is no node ${i}`);
    return node;
  };
  return {
    nodeCount: nodes.length,
    answers,
    killWhileSearched: async (i) => {
      const node = nodeAt(i);
      (await store.prepare(join(dataDirectory, 'older', 'snapshot-0'))).publish();
      using view = openView();
      const asking = askUntil(view, answers);
      await asking.more('whole');
      await node.kill();
      await asking.more('refused');
      await node.start();
      await asking.more('whole');
      return await asking.end();
    },
    killWhilePublishing: async (i, afterMs) => {
      const node = nodeAt(i);
      published += 1;
      const name = `newer-${published}`;
      const ended = publishNewer(name).then(
        () => 'after' as const,
        () => 'before' as const,
      );
      await sleep(afterMs);
      await node.kill();
      const outcome = await ended;
      await node.start();
      const path = join(dataDirectory, name, 'snapshot-0');
      if (outcome === 'after') await checkNewer(path);
      else await expectMissing(store.prepare(path));
      await checkNewer(await publishNewer(`${name}-again`));
      return outcome;
    },
    [Symbol.asyncDispose]: async () => {
      await test[Symbol.asyncDispose]();
      for (const node of nodes) await node.remove();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function expectMissing(preparing: Promise<unknown>): Promise<void> {
  const error = await preparing.then(
    () => new Error('a part was published'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GenerationMissingError)) throw error;
}

/** Asks without a pause, and keeps every answer that is neither whole nor an honest refusal. */
function askUntil(view: RankView, answers: { whole: number; refused: number }) {
  const plan = planKeywords(older, { queries: ['shoe'], orderBy: 'latest_rank', limit: 100 });
  const wrong: unknown[] = [];
  let isOver = false;
  const ask = async (): Promise<void> => {
    try {
      const { totalCount, rows } = await view.search(plan);
      const isWhole = rows.every(({ searchTerm }, i) => searchTerm === `shoe ${i}`);
      if (totalCount !== TERMS || rows.length !== 100 || !isWhole) wrong.push({ totalCount, rows });
      else answers.whole += 1;
    } catch (error) {
      const isHonest = error instanceof RequestError && error.code === 'SERVICE_UNAVAILABLE';
      if (!isHonest || !error.retryAfterSeconds) wrong.push(error);
      else answers.refused += 1;
    }
  };
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) await ask();
  });
  return {
    /** Resolves when there were some more of these. */
    more: async (kind: keyof typeof answers) => {
      const before = answers[kind];
      while (answers[kind] < before + CLIENTS && wrong.length === 0) await sleep(20);
    },
    end: async () => {
      isOver = true;
      await Promise.all(clients);
      return wrong;
    },
  };
}
