// The importer is killed at random moments and at chosen system calls, while a reader polls the manifest: what is
// published is always whole, and the import repeated gives what it would have given. test/prove does more of the same.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyFiles } from '../../src/ingest/publish/verification.ts';
import { hasStrace, KilledImports, straceKill } from './killed-import.ts';
import { currentReport, fixtureRows, WEEK_NAME, writeReport } from './report-fixture.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const WEEK = { frequency: 'weekly', year: 2026, number: 28 } as const;

const ROUNDS = 3;
/** System calls at which an import dies, each at the given times that it is made. */
const CHOSEN_CALLS = [
  ['fsync', 'fsync', [1, 16]],
  ['rename', 'rename,renameat,renameat2', [1, 5]],
  ['mkdir', 'mkdir,mkdirat', [5]],
  ['a write to a file', 'write', [300]],
  ['a message to the database', 'writev', [2, 8]],
] as const;

let bench: Workbench;
let imports: KilledImports;

beforeAll(async () => {
  bench = await openWorkbench();
  const { dataDirectory, reports } = bench;
  const settings = { DATABASE_URL: bench.database.url.href, KEYRANK_DATA_DIR: dataDirectory };
  imports = await KilledImports.open({ operator: bench.database.operator, dataDirectory, reports, settings });
}, 300_000);
afterAll(() => bench[Symbol.asyncDispose]());

describe('an import that is killed', () => {
  it(`at ${ROUNDS} random moments never shows a part of a period`, async () => {
    let { durationMs } = imports;
    for (let deaths = 0; deaths < ROUNDS; ) {
      const wanted = await imports.makeVersion();
      const child = imports.start(wanted);
      const ended = once(child, 'close');
      const startMs = performance.now();
      const killAtMs = startMs + Math.random() * durationMs;
      do {
        await imports.checkNow(wanted);
      } while (performance.now() < killAtMs && child.exitCode === null);
      // One that was faster than the signal tells how long they take now.
      if (child.exitCode === null && child.kill('SIGKILL')) deaths += 1;
      else durationMs = performance.now() - startMs;
      await ended;
      await imports.checkAfterwards(wanted);
    }
  }, 1_800_000);

  it.runIf(hasStrace()).each(CHOSEN_CALLS)(
    'at %s never shows a part of a period',
    async (_name, calls, counts) => {
      for (const count of counts) {
        const wanted = await imports.makeVersion();
        const child = imports.start(wanted, straceKill(calls, { when: count }));
        const [code, signal] = await once(child, 'close');
        // strace dies of what its child died of.
        expect({ count, code, signal }).toEqual({ count, code: null, signal: 'SIGKILL' });
        await imports.checkAfterwards(wanted);
      }
    },
    1_800_000,
  );
});

/** System calls at which a restoration dies; some of them come after it is published. */
const RESTORE_CALLS = [
  ['fsync', 'fsync', [8]],
  ['mkdir', 'mkdir,mkdirat', [1]],
  ['a message to the database', 'writev', [2, 5]],
] as const;

describe('a revision whose restoration is killed', () => {
  it.runIf(hasStrace()).each(RESTORE_CALLS)(
    'at %s is published wholly or not at all, and the next attempt is as good',
    async (_name, calls, counts) => {
      await using ground = await openWorkbench();
      const settings = { DATABASE_URL: ground.database.url.href, KEYRANK_DATA_DIR: ground.dataDirectory };
      const digests: (string | undefined)[] = [];
      for (const rows of [200, 210]) {
        const path = await writeReport(ground.reports, WEEK_NAME, currentReport(fixtureRows(rows)));
        digests.push((await ground.importOne(path)).periods[0]?.digest);
      }
      for (const when of counts) {
        const before = await ground.manifest();
        const [command, ...options] = straceKill(calls, { when });
        const program = [
          process.execPath,
          PROGRAM,
          'periods',
          'restore-revision',
          '28-2026',
          '--type',
          'weekly',
          '--yes',
        ];
        const env = { PATH: process.env.PATH, ...settings, UV_THREADPOOL_SIZE: '1' };
        const child = spawn(command, [...options, ...program], { env, stdio: 'ignore' });
        await once(child, 'close');
        const after = await ground.manifest();
        const isDone = after.version > before.version;
        const wanted = digests.find((digest) => digest !== before.periods[0]?.digest);
        expect(after.periods.map(({ digest }) => digest)).toEqual([isDone ? wanted : before.periods[0]?.digest]);
        expect(after.keptRevisions).toHaveLength(1);
        await ground.sweep();
        const { faults } = await verifyFiles({
          manifest: after,
          dataDirectory: ground.dataDirectory,
          onFile: () => {},
        });
        expect(faults).toEqual([]);
        if (!isDone) await ground.restore({ marketplace: 'US', source: 'search', period: WEEK });
      }
    },
    1_800_000,
  );
});
