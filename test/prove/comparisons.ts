// The random comparisons of the test suite, which `npm test` runs with one seed, with seeds that nobody chose.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Promised } from './promised.ts';
import { SeededRandom } from './seeded-random.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SUITES = ['test/store', 'test/ingest/hidden-periods.test.ts'];
const QUICK_SUITES = ['test/store/engine-equals-oracle.test.ts'];

export const comparisons: readonly Promised[] = [
  {
    name: 'the engine answers as the oracle does, and as if hidden periods had never been imported',
    goal: 'every suite of test/store agrees, whatever the seed: 10 seeds',
    run: async ({ seed, quick, report }) => {
      const random = new SeededRandom(seed);
      const seeds = Array.from({ length: quick ? 1 : 10 }, () => random.below(1_000_000));
      const broken: string[] = [];
      for (const each of seeds) {
        const output = await runSuites(quick ? QUICK_SUITES : SUITES, each).catch((cause) =>
          String(cause.stdout ?? cause),
        );
        const failed = output.match(/FAIL.*/g) ?? [];
        report(`seed ${each}: ${failed.length} failed`);
        if (failed.length > 0 || !/Tests .*\d+ passed/.test(output)) broken.push(`SEED=${each} ${failed.join(', ')}`);
      }
      return {
        kept: broken.length === 0,
        figure: `${seeds.length} seeds, ${broken.length} broken ${broken.join('; ')}`,
      };
    },
  },
];

async function runSuites(suites: readonly string[], seed: number): Promise<string> {
  const env = { ...process.env, SEED: String(seed), NO_COLOR: '1' };
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [vitest, 'run', ...suites], {
    cwd: ROOT,
    env,
    maxBuffer: 64 * 2 ** 20,
  });
  return stdout;
}
