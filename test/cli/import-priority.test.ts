import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generateReports } from '../../demo/report.ts';
import { findServerProcess, makeDataDirectory } from '../support/embedded-server.ts';
import { startKeyrank, startServerProcess } from '../support/process.ts';

const IDLE_POLICY = '5';
const NORMAL_POLICY = '0';
const canChange = ['chrt', 'taskset'].every((each) => spawnSync(each, ['-p', String(process.pid)]).status === 0);
const hasCores = availableParallelism() > 1;

describe.runIf(process.platform === 'linux' && canChange)('an import', () => {
  it('gives way with all of its threads, and the database that it starts does not', async () => {
    const dataDirectory = await makeDataDirectory();
    await using running = await startImport(dataDirectory);
    const threads = await readThreads(running.pid);
    expect(threads.length).toBeGreaterThan(2);
    expect(new Set(threads.map(({ policy }) => policy))).toEqual(new Set([IDLE_POLICY]));
    expect(new Set(threads.map(({ cores }) => cores))).toEqual(new Set([ownCores()]));
    const database = await readThreads(await findServerProcess(dataDirectory));
    expect(database).toEqual([{ policy: NORMAL_POLICY, cores: ownCores() }]);
  });

  it.runIf(hasCores)('leaves a core to a server that runs, unless it is told how many threads to take', async () => {
    const dataDirectory = await makeDataDirectory();
    await using _server = await startServerProcess({ KEYRANK_DATA_DIR: dataDirectory });
    for (const { flags, coresLeft } of [
      { flags: [], coresLeft: 1 },
      { flags: ['--threads', '2'], coresLeft: 0 },
    ]) {
      await using running = await startImport(dataDirectory, ['--dry-run', ...flags]);
      const threads = await readThreads(running.pid);
      const counts = new Set(threads.map(({ cores }) => countCores(cores)));
      expect(counts).toEqual(new Set([availableParallelism() - coresLeft]));
    }
  });

  it('gives way to nobody when it is urgent', async () => {
    await using running = await startImport(await makeDataDirectory(), ['--dry-run', '--urgent']);
    const threads = await readThreads(running.pid);
    expect(new Set(threads.map(({ policy }) => policy))).toEqual(new Set([NORMAL_POLICY]));
  });
});

/** An import that has begun to read; its end is waited for. */
async function startImport(dataDirectory: string, flags: readonly string[] = []) {
  const size = { terms: 40_000, months: 1, weeks: 0, socialTerms: 0 };
  const [report] = generateReports({ size, now: new Date('2026-11-15') });
  if (!report) throw new Error('a report');
  const path = join(dirname(dataDirectory), report.fileName);
  await report.write(path);
  const child = startKeyrank(['import', path, ...flags], { KEYRANK_DATA_DIR: dataDirectory });
  const closed = once(child, 'close');
  // By then DuckDB has started its threads.
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (text: string) => text.includes(': checking') && resolve());
    child.once('close', () => resolve());
  });
  return {
    pid: child.pid,
    [Symbol.asyncDispose]: async () => {
      expect((await closed)[0]).toBe(0);
    },
  };
}

async function readThreads(pid: number | undefined) {
  const names = await readdir(`/proc/${pid}/task`);
  return await Promise.all(
    names.map(async (name) => {
      const stat = await readFile(`/proc/${pid}/task/${name}/stat`, 'utf8');
      const status = await readFile(`/proc/${pid}/task/${name}/status`, 'utf8');
      // The name in parentheses may hold spaces; the policy is the 39th field behind it.
      return { policy: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38], cores: allowedCores(status) };
    }),
  );
}

function ownCores(): string {
  return allowedCores(spawnSync('cat', ['/proc/self/status'], { encoding: 'utf8' }).stdout);
}

/** As Linux writes it: 0-3,6. */
function allowedCores(status: string): string {
  return /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
}

function countCores(list: string): number {
  return list
    .split(',')
    .map((range) => range.split('-').map(Number))
    .reduce((sum, [first = 0, last = first]) => sum + last - first + 1, 0);
}
