// Plans with any window: those that ship, and such as operators make.
import fc from 'fast-check';
import { OWNER, type PeriodLimit, type Plan, PRO, STUDIO } from '../../src/domain/plan.ts';

export function randomPlan(): fc.Arbitrary<Plan> {
  const limit: fc.Arbitrary<PeriodLimit> = fc.oneof(
    fc.constant('all' as const),
    fc.integer({ min: 1, max: 6 }),
    fc.integer({ min: 1, max: 40 }),
  );
  const drawn = fc
    .record({ months: limit, weeks: limit })
    .map((window): Plan => ({ name: 'drawn', searchesPerHour: 1, ...window }));
  return fc.oneof({ weight: 1, arbitrary: fc.constantFrom(PRO, STUDIO, OWNER) }, { weight: 3, arbitrary: drawn });
}
