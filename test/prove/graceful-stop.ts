// Servers are told to stop while clients press them. A request on a connection that was made must be answered whole.
import { setTimeout as sleep } from 'node:timers/promises';
import { pressUntilClosed } from '../support/pressing-client.ts';
import { openEmbeddedWorld } from './embedded-world.ts';
import type { Finding, Trial } from './promised.ts';
import { SeededRandom } from './seeded-random.ts';
import { writeSyntheticReport } from './synthetic-report.ts';

const CLIENTS = 16;
const PATHS = [
  '/v1/trends/change-by?limit=1000',
  '/v1/meters',
  '/v1/tracked-keywords',
  '/v1/search/keywords?query=kakalo',
];

export async function tryGracefulStop({ seed, quick, report }: Trial): Promise<Finding> {
  const rounds = quick ? 2 : 50;
  const random = new SeededRandom(seed);
  await using world = await openEmbeddedWorld();
  for (const month of [1, 2]) {
    await world.importReport(await writeSyntheticReport(world.directory, { seed, terms: 5_000, month }));
  }
  const dropped: string[] = [];
  let answered = 0;
  for (let round = 0; round < rounds; round += 1) {
    const keys = await Promise.all(Array.from({ length: 4 }, () => world.makeKey()));
    const server = await world.startServer();
    const clients = Array.from({ length: CLIENTS }, (_, n) =>
      pressUntilClosed(new URL(PATHS[n % PATHS.length] ?? '/', server.url), {
        key: keys[n % keys.length] ?? '',
        isKeptAlive: n % 2 === 0,
      }),
    );
    await sleep(100 + random.below(400));
    const { code } = await server.stop('SIGTERM');
    const outcomes = await Promise.all(clients);

    answered += outcomes.reduce((sum, outcome) => sum + outcome.answered, 0);
    dropped.push(...outcomes.flatMap((outcome) => outcome.dropped).map((fault) => `round ${round + 1}: ${fault}`));
    if (code !== 0) dropped.push(`round ${round + 1}: it ended with code ${code}`);
    if ((round + 1) % 10 === 0)
      report(`${round + 1} of ${rounds} stops, ${answered} answered, ${dropped.length} dropped`);
  }
  return {
    kept: dropped.length === 0 && answered > rounds,
    figure: `${dropped.length} dropped, ${answered} answered in ${rounds} stops ${dropped[0] ?? ''}`.trim(),
  };
}
