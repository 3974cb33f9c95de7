import { listOpenObjects } from './fuzz/answer-check.ts';
import { readOperations } from './fuzz/api-document.ts';
import { type FuzzResult, runFuzz } from './fuzz/fuzz-run.ts';
import { openFuzzWorld } from './fuzz/fuzz-world.ts';
import { PLANTED_DEFECTS } from './fuzz/planted-defects.ts';
import type { Promised } from './promised.ts';

const QUICK_REQUESTS = 2_000;
/** A defect that takes more to be found counts as missed. */
const MAX_REQUESTS_PER_DEFECT = 20_000;

export const contractFuzz: readonly Promised[] = [
  {
    name: 'answers are as documented',
    goal: '50,000 requests made from openapi.json, half of them with one broken rule: 0 answers outside status, body and headers of the document, 0 server errors, exactly one of data and error, 0 invalid accepted, 0 valid refused',
    run: async ({ seed, quick, report }) => {
      const operations = readOperations();
      const open = listOpenObjects(operations);
      await using world = await openFuzzWorld();
      const result = await runFuzz(world, { seed, requests: quick ? QUICK_REQUESTS : 50_000, operations, report });
      const isAlive = await world.isAlive();
      return {
        kept: result.examples.length === 0 && open.length === 0 && isAlive,
        figure: [describeResult(result, operations.length), ...open.map((path) => `open object: ${path}`)].join('\n'),
      };
    },
  },
  {
    name: 'the fuzzer finds planted defects',
    goal: '10 of 10 found, and none without one',
    run: async ({ seed, report }) => {
      const operations = readOperations();
      await using world = await openFuzzWorld();
      const missed: string[] = [];
      const needed: number[] = [];
      for (const { name, plant } of PLANTED_DEFECTS) {
        const options = { seed, requests: MAX_REQUESTS_PER_DEFECT, operations, stopAtFault: true };
        const { examples, valid, broken } = await runFuzz(world, { ...options, send: plant(world.send) });
        if (examples.length === 0) missed.push(name);
        needed.push(valid + broken);
        report(`${examples.length > 0 ? 'found' : 'missed'}: ${name} (${valid + broken} requests)`);
      }
      // The same requests without a defect: whatever was found was the defect.
      const clean = await runFuzz(world, { seed, requests: Math.max(...needed), operations });
      const found = PLANTED_DEFECTS.length - missed.length;
      return {
        kept: missed.length === 0 && clean.examples.length === 0,
        figure: [
          `${found} of ${PLANTED_DEFECTS.length} found, each within ${Math.max(...needed).toLocaleString('en')} requests; ` +
            `${clean.examples.length} faults in the same requests without them`,
          ...missed.map((name) => `missed: ${name}`),
          ...clean.examples,
        ].join('\n'),
      };
    },
  },
];

function describeResult({ valid, broken, filled, rules, faults, examples }: FuzzResult, operations: number): string {
  const count = Object.values(faults).reduce((sum, each) => sum + each, 0);
  const kinds = Object.entries(faults).map(([kind, each]) => `${each} × ${kind}`);
  return [
    `${valid.toLocaleString('en')} valid and ${broken.toLocaleString('en')} broken requests to ${operations} endpoints, ` +
      `${filled.toLocaleString('en')} lists with rows, ` +
      `${rules} rules broken, ${count} faults`,
    ...kinds,
    ...examples.slice(0, 40),
  ].join('\n');
}
