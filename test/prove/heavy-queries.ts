// The heaviest searches that the API allows, and clients that leave in the middle of them.
import { setTimeout as sleep } from 'node:timers/promises';
import { sendRequest } from '../support/service.ts';
import { openEmbeddedWorld } from './embedded-world.ts';
import type { Finding, Trial } from './promised.ts';
import { SeededRandom } from './seeded-random.ts';
import { syntheticWord, writeSyntheticReport } from './synthetic-report.ts';

const ANSWER_LIMIT_MS = 5_000;
const CANCEL_LIMIT_MS = 1_000;
const MAX_VALUES = 50;
const MAX_CHARACTERS = 256;
const ORDERS = ['best_match', 'fts_rank', 'similarity_score', 'avg_rank', 'latest_rank', 'total_periods', '01-2026'];

export async function tryHeavyQueries({ seed, quick, report }: Trial): Promise<Finding> {
  const sizes = quick ? { terms: 10_000, queries: 6 } : { terms: 500_000, queries: 200 };
  await using world = await openEmbeddedWorld();
  for (const month of [1, 2]) {
    await world.importReport(await writeSyntheticReport(world.directory, { seed, terms: sizes.terms, month }));
  }
  // One thread: whoever comes next waits until the one before was given up.
  await using server = await world.startServer({ KEYRANK_WORKERS: '1' });
  const random = new SeededRandom(seed);
  const key = await world.makeKey();
  const faults: string[] = [];
  const slowest = { answerMs: 0, cancelMs: 0 };
  for (let n = 0; n < sizes.queries; n += 1) {
    const path = heavyPath(random);
    const startMs = performance.now();
    const { status, text } = await sendRequest(server.url + path, { key });
    const answerMs = performance.now() - startMs;
    if (status !== 200) faults.push(`${status} ${text.slice(0, 200)} for ${path.slice(0, 200)}`);
    if (answerMs > ANSWER_LIMIT_MS) faults.push(`${answerMs.toFixed(0)} ms for ${path.slice(0, 300)}`);
    slowest.answerMs = Math.max(slowest.answerMs, answerMs);
    const cancelMs = await leave(server.url, { path, key, afterMs: random.next() * Math.min(answerMs, 1_000) });
    if (cancelMs > CANCEL_LIMIT_MS) faults.push(`held for ${cancelMs.toFixed(0)} ms by ${path.slice(0, 300)}`);
    slowest.cancelMs = Math.max(slowest.cancelMs, cancelMs);
    if ((n + 1) % 20 === 0) report(`${n + 1} of ${sizes.queries}: ${JSON.stringify(slowest)}`);
  }
  return {
    kept: faults.length === 0,
    figure:
      `${sizes.queries} over ${sizes.terms} keywords: slowest ${slowest.answerMs.toFixed(0)} ms, given up after at most ` +
      `${slowest.cancelMs.toFixed(0)} ms; ${faults.length} faults ${faults[0] ?? ''}`.trim(),
  };
}

/** How long the thread was still busy after the client had left: so long a small request had to wait. */
async function leave(
  url: string,
  { path, key, afterMs }: { readonly path: string; readonly key: string; readonly afterMs: number },
): Promise<number> {
  const leaving = new AbortController();
  const left = fetch(url + path, { headers: { authorization: `Bearer ${key}` }, signal: leaving.signal }).then(
    (response) => response.arrayBuffer(),
    () => undefined,
  );
  await sleep(afterMs);
  leaving.abort();
  const startMs = performance.now();
  await left.catch(() => undefined);
  // Trends are not counted, and run on the same thread.
  await sendRequest(`${url}/v1/trends/change-by?limit=1`, { key });
  return performance.now() - startMs;
}

/** Either many words that stand in a large share of the keywords, or long texts, right or misspelled. */
function heavyPath(random: SeededRandom): string {
  const kind = random.pick(['common', 'long', 'misspelled']);
  const texts = Array.from({ length: MAX_VALUES }, (_, n) =>
    kind === 'common' ? syntheticWord(n) : longText(random, { isMisspelled: kind === 'misspelled' }),
  );
  const excluded = Array.from({ length: random.pick([0, MAX_VALUES]) }, () => syntheticWord(200 + random.below(1_000)));
  const query = new URLSearchParams([
    ...texts.map((text) => ['query', text] as [string, string]),
    ...excluded.map((text) => ['exclude_query', text] as [string, string]),
    ['order_by', random.pick(ORDERS)],
    ['order_direction', random.pick(['asc', 'desc'])],
    ['limit', '1000'],
    ['page', String(1 + random.below(50))],
  ]);
  return `/v1/search/keywords?${query.toString()}`;
}

/** As long as a text may be. */
function longText(random: SeededRandom, { isMisspelled }: { readonly isMisspelled: boolean }): string {
  let text = '';
  for (;;) {
    const word = syntheticWord(Math.floor(50_000 * random.next() ** 2));
    const at = random.below(word.length);
    const next = `${text} ${isMisspelled ? `${word.slice(0, at)}x${word.slice(at + 1)}` : word}`.trim();
    if (next.length > MAX_CHARACTERS) return text;
    text = next;
  }
}
