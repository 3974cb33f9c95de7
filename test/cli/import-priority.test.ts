import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { generateReports } from '../../src/demo/report.ts';
import { findServerProcess, makeDataDirectory } from '../support/embedded-server.ts';
import { startKeyrank } from '../support/process.ts';

const hasChrt = process.platform === 'linux' && spawnSync('chrt', ['-p', String(process.pid)]).status === 0;

it.runIf(hasChrt)('an import gives way with all of its threads, and the database that it starts does not', async () => {
  const dataDirectory = await makeDataDirectory();
  const size = { terms: 100_000, months: 1, weeks: 0, socialTerms: 0 };
  const [report] = generateReports({ size, now: new Date('2026-11-15') });
  if (!report) throw new Error('a report');
  const path = join(dirname(dataDirectory), report.fileName);
  await report.write(path);
  const child = startKeyrank(['import', path], { KEYRANK_DATA_DIR: dataDirectory });
  const ended = once(child, 'close');
  // By then DuckDB has started its threads.
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (text: string) => text.includes(': checking') && resolve());
    child.once('close', () => resolve());
  });
  const policies = await policiesOf(child.pid);
  const database = await policiesOf(await findServerProcess(dataDirectory));
  expect(policies.length).toBeGreaterThan(2);
  expect(new Set(policies)).toEqual(new Set(['SCHED_IDLE']));
  expect(database).toEqual(['SCHED_OTHER']);
  expect((await ended)[0]).toBe(0);
});

/** Of every thread, read as the kernel's own number. */
async function policiesOf(pid: number | undefined): Promise<readonly string[]> {
  const names = new Map([
    ['0', 'SCHED_OTHER'],
    ['5', 'SCHED_IDLE'],
  ]);
  const threads = await readdir(`/proc/${pid}/task`);
  const stats = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8')));
  // The name in parentheses may hold spaces; the policy is the 39th field behind it.
  return stats
    .map((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38] ?? '')
    .map((policy) => names.get(policy) ?? policy);
}
