// One organization sends ten times what its plan allows; another searches as before.
import { PRO, STUDIO } from '../../src/domain/plan.ts';
import { openEmbeddedWorld } from './embedded-world.ts';
import { median } from './median.ts';
import { type LoadOutcome, offerLoad } from './offered-load.ts';
import type { Finding, Trial } from './promised.ts';
import { writeSyntheticReport } from './synthetic-report.ts';

const EXCESS = 10;
const RATIO_GOAL = 1.5;
const PATHS = ['/v1/search/keywords?query=kakalo', '/v1/search/keywords?query=lokalo&order_by=avg_rank'];
/** The other one's searches per second: below its own limit for as long as the trial lasts. */
const CALM_RATE = 8;

export async function tryNeighbour({ seed, quick, report }: Trial): Promise<Finding> {
  const { seconds, rounds } = quick ? { seconds: 3, rounds: 1 } : { seconds: 30, rounds: 3 };
  const plan = quick ? PRO : STUDIO;
  await using world = await openEmbeddedWorld();
  await world.importReport(await writeSyntheticReport(world.directory, { seed, terms: 20_000, month: 1 }));
  await using server = await world.startServer();
  const calm = async (): Promise<LoadOutcome> =>
    await offerLoad({ url: server.url, keys: [await world.makeKey()], paths: PATHS, seconds }, CALM_RATE);
  await calm();
  const ratios: number[] = [];
  const faults: string[] = [];
  const refused: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone = await calm();
    // All of the excess comes within the time that is measured, not within an hour.
    const greedy = { url: server.url, keys: [await world.makeKey(plan.name)], paths: PATHS, seconds };
    const [beside, excess] = await Promise.all([calm(), offerLoad(greedy, (EXCESS * plan.searchesPerHour) / seconds)]);
    report(
      `alone p99 ${alone.p99Ms.toFixed(1)} ms, beside ${beside.p99Ms.toFixed(1)} ms; ${JSON.stringify(excess.byStatus)}`,
    );
    ratios.push(beside.p99Ms / alone.p99Ms);
    if (beside.byStatus['200'] !== beside.sent) faults.push(`the other one: ${JSON.stringify(beside.byStatus)}`);
    refused.push(JSON.stringify(excess.byStatus));
  }
  const listed = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
  const why = server
    .log()
    .split('\n')
    .filter((line) => line.includes('request failed'));
  for (const line of why.slice(0, 5)) report(line.slice(0, 600));
  return {
    // A few seconds tell nothing of a p99; the median of whole rounds does.
    kept: faults.length === 0 && (quick || median(ratios) <= RATIO_GOAL),
    figure:
      `p99 ${median(ratios).toFixed(2)} × of that alone in the median round (${listed}); greedy ${refused.join(' ')} ${faults.join('; ')}`.trim(),
  };
}
