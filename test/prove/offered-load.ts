// Requests at a given rate, whatever the service does with them: clients do not wait for each other. And requests as fast as a
// number of connections gets them answered, which tells what the service can do.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface LoadTarget {
  readonly url: string;
  readonly keys: readonly string[];
  readonly paths: readonly string[];
  readonly seconds: number;
}

export interface LoadOutcome {
  readonly sent: number;
  /** Answers of status 200 per second, while requests were offered and after a moment in which queues filled. */
  readonly goodPerSecond: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** Answers that no client was told to expect: other failures, or a 429 or 503 that does not say when to come again. */
  readonly undocumented: readonly string[];
  /** Of the answers of status 200, in ascending order. */
  readonly timesMs: readonly number[];
  readonly p50Ms: number;
  readonly p99Ms: number;
}

function percentile(sortedMs: readonly number[], share: number): number {
  return sortedMs[Math.floor(sortedMs.length * share)] ?? 0;
}

/** Enough for every request that waits for an answer. */
const MAX_CONNECTIONS = 2_000;
/** Requests that became due within it are sent together. */
const TICK_MS = 5;
/** Share of the time in which queues fill and answers are not counted yet. */
const FILLING_SHARE = 0.4;

export async function offerLoad(target: LoadTarget, requestsPerSecond: number): Promise<LoadOutcome> {
  return await measure(target, MAX_CONNECTIONS, async ({ send, isOver }) => {
    const startMs = performance.now();
    const pending: Promise<void>[] = [];
    for (let sent = 0; !isOver(); ) {
      const due = ((performance.now() - startMs) * requestsPerSecond) / 1000;
      for (; sent < due; sent += 1) pending.push(send());
      await sleep(TICK_MS);
    }
    await Promise.all(pending);
  });
}

/** Each connection sends its next request when the answer is there. */
export async function loadFully(target: LoadTarget, connections: number): Promise<LoadOutcome> {
  return await measure(target, connections, async ({ send, isOver }) => {
    const loops = Array.from({ length: connections }, async () => {
      while (!isOver()) await send();
    });
    await Promise.all(loops);
  });
}

interface Sending {
  readonly send: () => Promise<void>;
  readonly isOver: () => boolean;
}

async function measure(
  { url, keys, paths, seconds }: LoadTarget,
  connections: number,
  drive: (sending: Sending) => Promise<void>,
): Promise<LoadOutcome> {
  await using pool = disposable(new Pool(url, { connections, pipelining: 1 }));
  const byStatus: Record<string, number> = {};
  const undocumented: string[] = [];
  const timesMs: number[] = [];
  const countedSeconds = seconds * (1 - FILLING_SHARE);
  const endMs = performance.now() + seconds * 1000;
  const countFromMs = endMs - countedSeconds * 1000;
  let sent = 0;
  let goodInTime = 0;
  const send = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${keys[sent % keys.length]}` };
    const path = paths[sent % paths.length] ?? '/';
    sent += 1;
    const startMs = performance.now();
    const outcome = await request(pool.value, { path, headers });
    byStatus[outcome.status] = (byStatus[outcome.status] ?? 0) + 1;
    if (outcome.fault !== undefined) undocumented.push(outcome.fault);
    if (outcome.status !== '200') return;
    timesMs.push(performance.now() - startMs);
    if (performance.now() >= countFromMs && performance.now() <= endMs) goodInTime += 1;
  };
  await drive({ send, isOver: () => performance.now() >= endMs });
  timesMs.sort((a, b) => a - b);
  return {
    sent,
    goodPerSecond: goodInTime / countedSeconds,
    byStatus,
    undocumented,
    timesMs,
    p50Ms: percentile(timesMs, 0.5),
    p99Ms: percentile(timesMs, 0.99),
  };
}

/** One request, and whether its answer is one that the documentation knows. */
export async function request(
  pool: Pool,
  { path, headers }: { readonly path: string; readonly headers: Readonly<Record<string, string>> },
): Promise<{ readonly status: string; readonly fault?: string }> {
  try {
    const answer = await pool.request({ path, method: 'GET', headers });
    const text = await answer.body.text();
    const status = String(answer.statusCode);
    if (status === '200') return { status };
    const isAwaited = status === '429' || status === '503';
    const retryAfter = Number(answer.headers['retry-after']);
    const isTold = Number.isInteger(retryAfter) && retryAfter >= 1 && JSON.parse(text).error !== null;
    return { status, ...(!(isAwaited && isTold) && { fault: `${status} ${text.slice(0, 200)}` }) };
  } catch (error) {
    const status = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    return { status, fault: String(error) };
  }
}

function disposable(value: Pool): { readonly value: Pool } & AsyncDisposable {
  return { value, [Symbol.asyncDispose]: () => value.destroy() };
}
