// A burst on servers that have just started: nothing of theirs is warm, neither code nor connections nor keys.
import { STUDIO } from '../../src/domain/plan.ts';
import type { ServerProcess } from '../support/process.ts';
import { countByStatus, sendBurst } from './burst.ts';
import { openEmbeddedWorld } from './embedded-world.ts';
import type { Finding, Trial } from './promised.ts';

/** Fewer than the default: eight servers share the hundred connections of the embedded PostgreSQL. */
const SERVER_SETTINGS = { KEYRANK_DATABASE_CONNECTIONS: '4', KEYRANK_WORKERS: '1' };

export async function tryBurstAtStart({ quick, report }: Trial): Promise<Finding> {
  const sizes = quick ? { servers: 3, perServer: 250, rounds: 2 } : { servers: 8, perServer: 1_000, rounds: 8 };
  await using world = await openEmbeddedWorld();
  const wrong: string[] = [];
  let requests = 0;
  for (let round = 0; round < sizes.rounds; round += 1) {
    const key = await world.makeKey(STUDIO.name);
    const servers = await Promise.all(Array.from({ length: sizes.servers }, () => world.startServer(SERVER_SETTINGS)));
    try {
      const startMs = performance.now();
      const answers = await sendBurst(servers, { key, perServer: sizes.perServer });
      const counts = countByStatus(answers);
      requests += answers.length;
      report(`start ${round + 1}: ${JSON.stringify(counts)} in ${(performance.now() - startMs).toFixed(0)} ms`);
      const limit = STUDIO.searchesPerHour;
      const isExact = counts['200'] === limit && counts['429'] === answers.length - limit;
      if (!isExact) wrong.push(`start ${round + 1}: ${JSON.stringify(counts)}`);
      for (const line of failures(servers).slice(0, 3)) report(line.slice(0, 500));
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  }
  return {
    kept: wrong.length === 0,
    figure:
      `${sizes.rounds - wrong.length} of ${sizes.rounds} starts of ${sizes.servers} processes: exactly the limit, nothing but 200 and 429 in ${requests} requests ${wrong[0] ?? ''}`.trim(),
  };
}

function failures(servers: readonly ServerProcess[]): readonly string[] {
  return servers.flatMap((server) =>
    server
      .log()
      .split('\n')
      .filter((line) => line.includes('request failed')),
  );
}
