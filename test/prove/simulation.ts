import type { Promised } from './promised.ts';
import { PLANTED_FAULTS, type PlantedFault } from './simulation/planted-faults.ts';
import { runSeed, type SeedResult } from './simulation/run-seed.ts';

const SEEDS = 10_000;
const QUICK_SEEDS = 150;
/** A fault that takes more to be found counts as missed. */
const MAX_SEEDS_PER_FAULT = 150;

export const simulation: readonly Promised[] = [
  {
    name: 'publishing and delivery in simulated worlds full of trouble',
    goal: '10,000 seeds without a broken invariant',
    run: async ({ seed, quick, report }) => {
      const count = quick ? QUICK_SEEDS : SEEDS;
      const sum = { steps: 0, faults: 0, broken: 0 };
      let example: SeedResult | undefined;
      for (let done = 0; done < count; done += 1) {
        const result = await runSeed(seed + done);
        sum.steps += result.steps;
        sum.faults += result.faults;
        if (result.violations.length > 0) {
          sum.broken += 1;
          example ??= result;
          report(`seed ${result.seed}: ${result.violations[0]}`);
        }
        if ((done + 1) % 500 === 0) report(`${done + 1} of ${count} seeds, ${sum.broken} with a broken invariant`);
      }
      const figure =
        `${sum.broken} of ${count.toLocaleString('en')} seeds with a broken invariant; ` +
        `${sum.steps.toLocaleString('en')} steps, ${sum.faults.toLocaleString('en')} faults`;
      return { kept: sum.broken === 0, figure: example ? `${figure}\n${describe(example)}` : figure };
    },
  },
  {
    name: 'the simulation finds planted faults',
    goal: '12 of 12 found, and none without one',
    run: async ({ seed, report }) => {
      const missed: string[] = [];
      let needed = 0;
      for (const planted of PLANTED_FAULTS) {
        const seeds = await countUntilFound(seed, planted);
        if (seeds === undefined) missed.push(planted.name);
        needed = Math.max(needed, seeds ?? MAX_SEEDS_PER_FAULT);
        report(`${seeds === undefined ? 'missed' : 'found'}: ${planted.name} (${seeds ?? MAX_SEEDS_PER_FAULT} seeds)`);
      }
      // The same seeds without a fault: whatever was found was the fault.
      const clean = await countUntilFound(seed, undefined, needed);
      return {
        kept: missed.length === 0 && clean === undefined,
        figure: [
          `${PLANTED_FAULTS.length - missed.length} of ${PLANTED_FAULTS.length} found, each within ${needed} seeds; ` +
            `${clean === undefined ? 'nothing' : 'something'} found in the same seeds without them`,
          ...missed.map((name) => `missed: ${name}`),
        ].join('\n'),
      };
    },
  },
];

async function countUntilFound(
  first: number,
  planted: PlantedFault | undefined,
  max = MAX_SEEDS_PER_FAULT,
): Promise<number | undefined> {
  for (let done = 1; done <= max; done += 1) {
    if ((await runSeed(first + done - 1, planted)).violations.length > 0) return done;
  }
  return undefined;
}

function describe({ seed, violations, trace }: SeedResult): string {
  return [
    `seed ${seed}: ${violations.slice(0, 5).join('; ')}`,
    ...trace,
    `npm run prove -- --quick --only simulation --seed ${seed} repeats it`,
  ].join('\n');
}
