import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openWorkbench, type Workbench } from '../ingest/workbench.ts';
import { runKeyrank, startKeyrank, startServerProcess } from '../support/process.ts';

// Imports run at low priority, so on a busy machine they take their time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let bench: Workbench;
let folder: string;
let settings: Record<string, string>;

beforeAll(async () => {
  bench = await openWorkbench();
  folder = join(bench.reports, 'watched');
  await mkdir(folder);
  settings = { DATABASE_URL: bench.database.url.href, KEYRANK_DATA_DIR: bench.dataDirectory };
});
afterAll(() => bench[Symbol.asyncDispose]());

const HEADER = 'period_type,period,search_term,rank\n';
const weekly = (week: number) => `${HEADER}weekly,${week}-2026,kettle,1\nweekly,${week}-2026,toaster,2\n`;

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(100);
}

const list = async (...parts: string[]) => (await readdir(join(folder, ...parts)).catch(() => [])).sort();

describe('keyrank watch', () => {
  it('imports whole files, moves them without replacing any, and says why one was not imported', async () => {
    await mkdir(join(folder, 'done'));
    await writeFile(join(folder, 'done', 'US_ranks.csv'), 'older');
    await writeFile(join(folder, 'US_ranks.csv.part'), weekly(20));
    await writeFile(join(folder, '.hidden.csv'), weekly(20));
    await writeFile(join(bench.reports, 'elsewhere.csv'), weekly(20));
    await symlink(join(bench.reports, 'elsewhere.csv'), join(folder, 'link.csv'));
    await writeFile(join(folder, 'US_broken.csv'), 'no,report\n1,2\n');
    // Sent long ago: what changed within a minute may still be coming.
    const [minutesAgo, hoursAgo] = [5 * 60, 2 * 3600].map((seconds) => Date.now() / 1000 - seconds);
    await utimes(join(folder, 'US_broken.csv'), minutesAgo ?? 0, minutesAgo ?? 0);
    const longName = `${'n'.repeat(240)}\n.csv`;
    await writeFile(join(folder, longName), 'no,report\n1,2\n');
    await utimes(join(folder, longName), minutesAgo ?? 0, minutesAgo ?? 0);
    for (const name of ['empty.csv', 'placeholder.csv']) await writeFile(join(folder, name), '');
    await utimes(join(folder, 'empty.csv'), hoursAgo ?? 0, hoursAgo ?? 0);
    await mkdir(join(folder, 'folder.csv'));
    execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
    await writeFile(join(folder, 'US_slow.csv'), 'period_type,period\n');
    await writeFile(join(folder, 'US_ranks.csv'), weekly(20));
    const watching = startKeyrank(['watch', folder, '--json'], settings);
    let printed = '';
    watching.stdout.on('data', (text: string) => (printed += text));
    const ended = new Promise<number | null>((resolve) => watching.once('close', resolve));
    await until(async () => (await list('done')).length === 2 && (await list('failed')).length === 6);
    expect(await list('done')).toEqual([expect.stringMatching(/^\d{8}T\d+Z-US_ranks\.csv$/), 'US_ranks.csv']);
    expect(await readFile(join(folder, 'done', 'US_ranks.csv'), 'utf8')).toBe('older');
    expect(await list('failed')).toEqual([
      'US_broken.csv',
      'US_broken.csv.reason.txt',
      'empty.csv',
      'empty.csv.reason.txt',
      `${'n'.repeat(45)}\n.csv`,
      `${'n'.repeat(45)}\n.csv.reason.txt`,
    ]);
    expect(await readFile(join(folder, 'failed', 'US_broken.csv.reason.txt'), 'utf8')).toMatch(/\w+.*\n/);
    // What is not whole, hidden, or lies elsewhere is left alone.
    const left = ['.hidden.csv', 'US_ranks.csv.part', 'US_slow.csv', 'done', 'failed', 'folder.csv', 'link.csv'];
    expect(await list()).toEqual([...left, 'pipe.csv', 'placeholder.csv']);
    // Its sender paused, and goes on.
    await until(async () => printed.includes('"US_slow.csv","status":"waiting"'));
    await writeFile(join(folder, 'US_slow.csv'), weekly(23));

    // A file that still grows is waited for.
    const path = join(folder, 'US_growing.csv');
    await writeFile(path, HEADER);
    for (let rank = 1; rank <= 4; rank += 1) {
      await writeFile(path, `weekly,21-2026,term ${rank},${rank}\n`, { flag: 'a' });
      await sleep(1000);
      expect(await list()).toContain('US_growing.csv');
    }
    // Its sender pauses within a row: half of it would be a report by itself.
    await writeFile(path, 'weekly,21-2026,term', { flag: 'a' });
    await sleep(15_000);
    expect(await list()).toContain('US_growing.csv');
    await writeFile(path, ' 5,5\n', { flag: 'a' });
    await until(async () => (await list('done')).length === 4);
    expect((await bench.manifest()).periods.map(({ keywords }) => keywords).sort()).toEqual([2, 2, 5]);
    watching.kill('SIGTERM');
    expect(await ended).toBe(0);
    const lines = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const outcomes = lines.filter(({ status }) => status !== 'waiting');
    expect(outcomes.toSorted((a, b) => (a.file < b.file ? -1 : 1))).toEqual([
      { file: 'US_broken.csv', status: 'failed', reason: expect.stringMatching(/./) },
      { file: 'US_growing.csv', status: 'done', reason: '' },
      { file: 'US_ranks.csv', status: 'done', reason: '' },
      { file: 'US_slow.csv', status: 'done', reason: '' },
      { file: 'empty.csv', status: 'failed', reason: 'The file is empty.' },
      { file: longName, status: 'failed', reason: expect.stringMatching(/./) },
    ]);
  });

  it('refuses what is no folder', async () => {
    const { code, stderr } = await runKeyrank(['watch', join(folder, 'nowhere')], settings);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not a folder.')]);
    // Where nothing can be moved to, nothing is imported.
    const odd = join(bench.reports, 'odd');
    await mkdir(odd);
    await writeFile(join(odd, 'done'), '');
    const { stderr: said } = await runKeyrank(['watch', odd], settings);
    expect(said).toMatch(/^error: The folder cannot be used: EEXIST: /);
  });
});

describe('keyrank serve', () => {
  it('watches the folder of KEYRANK_WATCH_DIR', async () => {
    await using _server = await startServerProcess({ ...settings, KEYRANK_WATCH_DIR: folder });
    await writeFile(join(folder, 'US_served.csv'), weekly(22));
    await until(async () => (await list('done')).includes('US_served.csv'));
    expect((await bench.manifest()).periods).toHaveLength(4);
  });
});
