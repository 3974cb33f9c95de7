// The cluster's part of publishing and searching, with deaths at random moments.
import { openKilledNodes } from '../clickhouse/killed-nodes.ts';
import { openKilledPublishing } from '../clickhouse/killed-publishing.ts';
import type { Finding, Promised, Trial } from './promised.ts';
import { SeededRandom } from './seeded-random.ts';

/** Publishing of the small sets takes about this long; deaths come within it and a little after. */
const PUBLISHING_MS = 1_500;

async function tryKilledImports({ seed, quick, report }: Trial): Promise<Finding> {
  const kills = quick ? 3 : 50;
  const chance = new SeededRandom(seed);
  await using publishing = await openKilledPublishing();
  const seen = { before: 0, after: 0 };
  for (let kill = 1; kill <= kills; kill += 1) {
    seen[await publishing.kill(1.1 * chance.next())] += 1;
    if (kill % 10 === 0) report(`${kill} of ${kills} kills`);
  }
  // Whatever was not whole has thrown.
  return {
    kept: true,
    figure: `${kills} kills: ${seen.before} × the version before, ${seen.after} × the new one, 0 parts`,
  };
}

async function tryKilledNodes({ seed, quick, report }: Trial): Promise<Finding> {
  const rounds = quick ? 1 : 25;
  const chance = new SeededRandom(seed);
  await using nodes = await openKilledNodes();
  const wrong: unknown[] = [];
  const seen = { before: 0, after: 0 };
  for (let round = 1; round <= rounds; round += 1) {
    for (let node = 0; node < nodes.nodeCount; node += 1) {
      wrong.push(...(await nodes.killWhileSearched(node)));
      seen[await nodes.killWhilePublishing(node, PUBLISHING_MS * chance.next())] += 1;
    }
    report(`${round} of ${rounds} rounds, ${nodes.answers.whole} answers, ${wrong.length} wrong`);
  }
  const kills = rounds * nodes.nodeCount;
  const first =
    wrong.length === 0
      ? ''
      : ` (${wrong[0] instanceof Error ? wrong[0].message : JSON.stringify(wrong[0]).slice(0, 200)})`;
  return {
    kept: wrong.length === 0,
    figure:
      `${kills} deaths during searches: ${nodes.answers.whole} whole answers, ${nodes.answers.refused} refused, ${wrong.length} wrong${first}; ` +
      `${kills} during publishing: ${seen.before} × nothing of it, ${seen.after} × all`,
  };
}

export const clickHouse: readonly Promised[] = [
  {
    name: 'publishing to ClickHouse, killed at random moments',
    goal: '50 kills: always one whole version, equal digests after the repeat, nothing left behind',
    run: tryKilledImports,
  },
  {
    name: 'nodes of ClickHouse, killed while they are asked and filled',
    goal: '25 deaths of each of two nodes in both: 0 partial answers, 0 parts published',
    run: tryKilledNodes,
  },
];
