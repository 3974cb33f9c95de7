// Many searches of one organization at once, spread over several servers.
import { Pool } from 'undici';
import type { ServerProcess } from '../support/process.ts';

export interface BurstAnswer {
  /** Of the answer, or the code of the error when there was none. */
  readonly status: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends so many searches to each server, all at once, and resolves when every one was answered or cut. */
export async function sendBurst(
  servers: readonly Pick<ServerProcess, 'url'>[],
  { key, perServer }: { readonly key: string; readonly perServer: number },
): Promise<readonly BurstAnswer[]> {
  const pools = servers.map(({ url }) => new Pool(url, { connections: perServer, pipelining: 1 }));
  try {
    const bursts = pools.flatMap((pool) => Array.from({ length: perServer }, (_, n) => search(pool, { key, n })));
    return await Promise.all(bursts);
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}

async function search(pool: Pool, { key, n }: { readonly key: string; readonly n: number }): Promise<BurstAnswer> {
  const path = n % 2 === 0 ? '/v1/search/keywords?query=shoes' : '/v1/search/asin?asin=B0CHX1W1XY';
  try {
    const { statusCode, headers, body } = await pool.request({
      path,
      method: 'GET',
      headers: { authorization: `Bearer ${key}` },
    });
    return { status: String(statusCode), headers, text: await body.text() };
  } catch (error) {
    const status = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { status, headers: {}, text: '' };
  }
}

export function countByStatus(answers: readonly { readonly status: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
