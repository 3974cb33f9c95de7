import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { currentReport, fixtureRows, WEEK_NAME, writeReport } from '../ingest/report-fixture.ts';
import { openWorkbench, type Workbench } from '../ingest/workbench.ts';
import { runKeyrank } from '../support/process.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

let bench: Workbench;
let settings: Readonly<Record<string, string>>;
beforeAll(async () => {
  bench = await openWorkbench();
  settings = { DATABASE_URL: bench.database.url.href, KEYRANK_DATA_DIR: bench.dataDirectory };
});
beforeEach(() => bench.reset());
afterAll(() => bench[Symbol.asyncDispose]());

describe('keyrank import', () => {
  it('says what it published, in plain lines when piped', async () => {
    const rows = fixtureRows(400, { 9: { term: '#NAME?' }, 12: { term: '\uFFFCterm 1' } });
    const path = await writeReport(bench.reports, WEEK_NAME, currentReport(rows));
    const { code, stdout, stderr } = await runKeyrank(['import', path], settings);
    expect(code).toBe(0);
    expect(stdout.replace(/in [0-9.]+ s/, 'in 1.0 s').replace(/imports\/[^/]+/, 'imports/ID')).toBe(
      `${WEEK_NAME}: done
  US weekly 28-2026 search: published as revision 1, 398 keywords, 398 of them new, 2,786 data points
  400 rows in 1.0 s; 1 phantom twins merged; 1 rejected:
    1 × search term was damaged by a spreadsheet; first in line 11: #NAME?
    all of them: ${bench.dataDirectory}/imports/ID/rejects.csv
`,
    );
    expect(stderr.split('\n')).toContain(`${WEEK_NAME}: building the snapshot, 400 rows`);
    expect(stderr).not.toContain('\r');
  });

  it('prints JSON for scripts, also of what failed, and ends with code 1', async () => {
    const good = await writeReport(bench.reports, WEEK_NAME, currentReport(fixtureRows(3)));
    const { code, stdout, stderr } = await runKeyrank(
      ['import', '--json', good, join(bench.reports, 'none.csv')],
      settings,
    );
    const [first, second] = JSON.parse(stdout);
    expect(first).toMatchObject({
      status: 'done',
      error: null,
      rows: 3,
      rejected_rows: 0,
      periods: [
        { marketplace: 'US', type: 'weekly', period: '28-2026', status: 'published', revision: 1, new_terms: 3 },
      ],
    });
    expect(second).toMatchObject({ status: 'failed', periods: [] });
    expect(second.error.message).toBe('There is no such file.');
    expect(code).toBe(1);
    expect(stderr).toContain('error: 1 of 2 files were not imported.');
  });

  it.each([
    ['--type', 'daily'],
    ['--marketplace', 'USA'],
    ['--max-rejects', '101'],
    ['--source', 'press'],
  ])('refuses %s %s as a wrong use', async (flag, value) => {
    expect((await runKeyrank(['import', 'x.csv', flag, value], settings)).code).toBe(2);
  });

  it('explains itself', async () => {
    const { code, stdout } = await runKeyrank(['import', '--help']);
    expect(code).toBe(0);
    for (const flag of ['--marketplace', '--type', '--period', '--source', '--dry-run', '--max-rejects', '--json']) {
      expect(stdout).toContain(flag);
    }
  });

  it('leaves everything as it was when it is interrupted', async () => {
    const path = await writeReport(bench.reports, WEEK_NAME, currentReport(fixtureRows(60_000)));
    const child = spawn(process.execPath, [PROGRAM, 'import', path], { env: { PATH: process.env.PATH, ...settings } });
    let said = '';
    child.stderr.on('data', (chunk) => {
      const wasReading = said.includes('reading');
      said += chunk;
      // Once: a second interrupt would end the program on the spot.
      if (!wasReading && said.includes('reading')) child.kill('SIGINT');
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(said).toContain('error: The import was stopped. Nothing of the last file was changed.');
    expect((await bench.manifest()).version).toBe(0);
  });
});

describe('keyrank periods and verify', () => {
  it('list what is published and find it whole', async () => {
    expect((await runKeyrank(['periods'], settings)).stdout).toBe(
      'Nothing is published yet. Start with: keyrank import FILE\n',
    );
    await bench.importOne(await writeReport(bench.reports, WEEK_NAME, currentReport(fixtureRows(3))));
    expect(JSON.parse((await runKeyrank(['periods', '--json'], settings)).stdout)).toMatchObject([
      { marketplace: 'US', source: 'search', type: 'weekly', period: '28-2026', keywords: 3, revision: 1 },
    ]);
    const { code, stdout } = await runKeyrank(['verify'], settings);
    expect(stdout).toMatch(/^All is well: [0-9]+ files, [0-9.]+ MB are as they were published\.\n$/);
    expect(code).toBe(0);
  });

  it('withdraw a period, and bring it back, when that is confirmed', async () => {
    await bench.importOne(await writeReport(bench.reports, WEEK_NAME, currentReport(fixtureRows(3))));
    const period = ['28-2026', '--type', 'weekly'];
    const asked = await runKeyrank(['periods', 'withdraw', ...period], settings);
    expect(asked.stderr).toContain(
      `error: This needs --yes: revision 1 of US weekly 28-2026 search (3 keywords, ${WEEK_NAME}) is withdrawn.`,
    );
    expect({ code: asked.code, version: (await bench.manifest()).version }).toEqual({ code: 1, version: 1 });
    const withdrawn = await runKeyrank(['periods', 'withdraw', ...period, '--yes', '--json'], settings);
    expect(JSON.parse(withdrawn.stdout)).toMatchObject({ action: 'withdraw', period: '28-2026', revision_before: 1 });
    const listed = await runKeyrank(['periods', '--revisions', '--json'], settings);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ period: '28-2026', revision: 1, reason: 'withdrawn' }]);
    const restored = await runKeyrank(['periods', 'restore-revision', ...period, '--yes'], settings);
    expect(restored.stdout).toBe(
      `Done: US weekly 28-2026 search comes back as it was in revision 1 (3 keywords, ${WEEK_NAME}), as revision 2.\n`,
    );
    const unknown = await runKeyrank(['periods', 'withdraw', '29-2026', '--type', 'weekly', '--yes'], settings);
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('US weekly 29-2026 search is not published.'),
    });
  });

  it('end with code 1 when a file is gone', async () => {
    await bench.importOne(await writeReport(bench.reports, WEEK_NAME, currentReport(fixtureRows(3))));
    const segment = (await bench.manifest()).periods[0]?.segment.path ?? '';
    spawnSync('rm', [join(bench.dataDirectory, segment)]);
    const { code, stdout, stderr } = await runKeyrank(['verify'], settings);
    expect(stdout).toBe(`${segment} is not there\n`);
    expect(stderr).toContain('published files are damaged.');
    expect(code).toBe(1);
  });
});

describe('a machine that gives out', () => {
  /** Runs an import under a shell that limits it, and expects a clear failure that changed nothing. */
  async function expectFailure(command: string, message: string) {
    const result = spawnSync('sh', ['-c', command], { env: { PATH: process.env.PATH, ...settings }, encoding: 'utf8' });
    expect(result.stderr).toContain(`error: ${message}`);
    expect(result.status).toBe(1);
    expect((await bench.manifest()).version).toBe(0);
  }

  it('because files may not grow is reported, and nothing changes', async () => {
    const path = await writeReport(bench.reports, WEEK_NAME, currentReport(fixtureRows(60_000)));
    await expectFailure(
      `ulimit -f 200; exec ${process.execPath} ${PROGRAM} import ${path}`,
      'A file grew larger than this system allows.',
    );
    expect(await runKeyrank(['import', path], settings)).toMatchObject({ code: 0 });
  });

  it('because the disk is full is reported, and nothing changes', async (context) => {
    const path = await writeReport(bench.reports, WEEK_NAME, currentReport(fixtureRows(60_000)));
    await mkdir(bench.dataDirectory, { recursive: true });
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1500k', 'tmpfs', bench.dataDirectory]).status === 0;
    if (!mounted) return context.skip('only root can mount a small disk');
    try {
      await expectFailure(`exec ${process.execPath} ${PROGRAM} import ${path}`, 'The disk is full.');
    } finally {
      spawnSync('umount', ['-l', bench.dataDirectory]);
    }
  });
});
