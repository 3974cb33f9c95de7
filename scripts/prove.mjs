// npm run prove [-- --quick] [--only PART[,PART…]] [--seed N] [--write]: tries every promise of test/prove, prints one line
// for each with its figure, and exits with 1 when one is broken. --write puts the figures into docs/reliability.md.
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { writeFindings } from './reliability-page.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seed: { type: 'string' },
  },
});
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
if (!Number.isSafeInteger(seed)) throw new Error(`--seed takes a whole number, not '${values.seed}'.`);
if (values.quick && values.write) throw new Error('--write wants the figures of a full run, without --quick.');
const only = values.only.split(',').filter((part) => part !== '');

const findings = [];
const started = performance.now();
const vitest = await startVitest('test', [], {
  config: fileURLToPath(new URL('../test/prove/vitest-settings.ts', import.meta.url)),
  watch: false,
  provide: { trial: { seed, quick: values.quick, only } },
  reporters: [{ onTestCaseResult: printFinding, onTestRunEnd: printErrors }],
});
await vitest.close();

const broken = findings.filter(({ kept }) => !kept).length;
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${findings.length - broken} of ${findings.length} promises kept in ${seconds} s, seed ${seed}`);
if (values.write) await writeFindings(findings, { seed, date: new Date() });
if (broken > 0 || findings.length === 0 || vitest.state.getUnhandledErrors().length > 0) process.exitCode = 1;

function printFinding(test) {
  const { goal, finding } = test.meta();
  const errors = test.result().errors ?? [];
  const { kept, figure } = finding ?? { kept: false, figure: errors.map((error) => error.stack).join('\n') };
  const duration = `${((test.diagnostic()?.duration ?? 0) / 1000).toFixed(1)} s`;
  findings.push({ area: test.parent.name, name: test.name, goal, kept, figure });
  console.log(`${kept ? 'kept  ' : 'BROKEN'} ${test.name}: ${figure} [${duration}, seed ${seed}]`);
}

function printErrors(modules, unhandled) {
  for (const error of [...modules.flatMap((module) => module.errors()), ...unhandled]) console.error(error.stack);
}
