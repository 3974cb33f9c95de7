// Threads that die: the pool refills, whatever moment they choose, and no task is forgotten.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreOverloadError } from '../../src/domain/store.ts';
import { ThreadPool } from '../../src/snapshot/threads/thread-pool.ts';
import type { ServedSnapshot, WindowBuffers } from '../../src/snapshot/threads/worker-loop.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
beforeAll(async () => {
  directory = await openTemporaryDirectory();
});
afterAll(() => directory[Symbol.asyncDispose]());

/** Answers a task with itself, unless it is told to die. */
const ECHO = `import { parentPort } from 'node:worker_threads';
parentPort.on('message', (request) => {
  if (request.kind === 'stop') return parentPort.close();
  if (request.kind !== 'run') return;
  if (request.task === 'throw') throw new Error('the worker died');
  if (request.task === 'exit') process.exit(3);
  parentPort.postMessage({ kind: 'done', taskId: request.taskId, result: request.task });
});
`;

async function openPool(name: string, { code = ECHO, workerCount = 1 } = {}) {
  const path = join(directory.path, `${name}.mjs`);
  await writeFile(path, code);
  const deaths: unknown[] = [];
  const pool = new ThreadPool<string, string>({
    workerUrl: pathToFileURL(path),
    workerCount,
    maxQueued: 100,
    maxWaitMs: 1_000,
    onThreadDeath: (error) => deaths.push(error),
  });
  return { pool, deaths, path };
}

/** Asks again for as long as the pool has no thread. */
async function askPatiently(pool: ThreadPool<string, string>, task: string): Promise<string> {
  for (;;) {
    try {
      return await pool.run(task, { snapshotId: 0 });
    } catch (error) {
      if (!(error instanceof StoreOverloadError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

describe('a thread that dies', () => {
  it.each([
    ['throws', 'throw', 'the worker died'],
    ['ends', 'exit', 'ended with code 3'],
  ])('on the first task of its life because it %s is replaced, each time', async (_how, task, message) => {
    const { pool, deaths } = await openPool(`first-${task}`);
    await using _closing = pool;
    for (let i = 0; i < 4; i += 1) {
      await expect(askPatiently(pool, task)).rejects.toThrow(message);
    }
    expect(await askPatiently(pool, 'still here')).toBe('still here');
    expect(deaths).toHaveLength(4);
  });

  it('while others wait takes only its own task with it', async () => {
    const { pool } = await openPool('others', { workerCount: 2 });
    await using _closing = pool;
    const tasks = ['a', 'throw', 'b', 'throw', 'c', 'd'];
    const settled = await Promise.allSettled(tasks.map((task) => pool.run(task, { snapshotId: 0 })));
    const told = settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)));
    for (const [i, task] of tasks.entries()) {
      if (task === 'throw') expect(told[i]).toContain('the worker died');
      // When every thread is dead at once, those that wait are asked to come again.
      else expect([task, String(new StoreOverloadError(1))]).toContain(told[i]);
    }
    expect(await askPatiently(pool, 'after')).toBe('after');
  });

  it('when it is loaded is tried again with pauses until it can be loaded, and tasks are told to come again', async () => {
    const broken = "throw new Error('a bad file');";
    const { pool, deaths, path } = await openPool('broken', { code: broken, workerCount: 2 });
    await using _closing = pool;
    await expect.poll(() => deaths.length).toBeGreaterThanOrEqual(4);
    await expect(pool.run('x', { snapshotId: 0 }).then(() => 'answered', String)).resolves.toMatch(
      /a bad file|Overload|busy/i,
    );
    await writeFile(path, ECHO);
    expect(await askBravely(pool)).toBe('mended');
  }, 30_000);
});

/** A thread may still be loading the old file when it is given the task. */
async function askBravely(pool: ThreadPool<string, string>): Promise<string> {
  for (;;) {
    const answer = await askPatiently(pool, 'mended').catch(() => undefined);
    if (answer !== undefined) return answer;
  }
}

/** Answers with all that was attached to it, in the order of messages. */
const WITNESS = `import { parentPort } from 'node:worker_threads';
const attached = [];
parentPort.on('message', (request) => {
  if (request.kind === 'stop') return parentPort.close();
  if (request.kind !== 'run') return void attached.push([request.kind, request.snapshotId, request.window?.kind, request.size].join(' '));
  if (request.task === 'throw') throw new Error('the worker died');
  parentPort.postMessage({ kind: 'done', taskId: request.taskId, result: attached.join(', ') });
});
`;

it('a thread that replaces a dead one has the snapshots and windows that are attached, and no others', async () => {
  const { pool } = await openPool('witness', { code: WITNESS });
  await using _closing = pool;
  const snapshot = { manifest: {}, buffers: {}, rowFiles: [] } as unknown as ServedSnapshot;
  const window = (kind: 'summaries' | 'seasons') => ({ kind, buffers: {} }) as unknown as WindowBuffers;
  for (const id of [1, 2]) pool.attach(id, snapshot);
  for (const size of [6, 24]) pool.attachWindow(2, size, window('summaries'));
  pool.attachWindow(2, 6, window('seasons'));
  pool.attachWindow(9, 6, window('summaries'));
  pool.detachWindow(2, { kind: 'summaries', size: 6 });
  await pool.detach(1);
  await expect(askPatiently(pool, 'throw')).rejects.toThrow('the worker died');
  expect(await askPatiently(pool, 'what')).toBe('attach 2  , attachWindow 2 summaries 24, attachWindow 2 seasons 6');
});
