// Load on a service, for a number of seconds and then no more: as fast as a fixed number of connections allows, or at a steady
// rate whatever the service does. Under a steady rate a request's time counts from the moment it was due, so that a server
// that stalls cannot hide the requests that had to wait.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface LoadTarget {
  readonly url: string;
  readonly keys: readonly string[];
  /** Asked for in turns. */
  readonly paths: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /** Ends the load earlier. */
  readonly until?: Promise<unknown>;
}

export interface LoadResult {
  readonly requests: number;
  /** Answers other than 200. */
  readonly failures: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Every connection sends its next request when the answer is there. */
export async function loadFully(target: LoadTarget): Promise<LoadResult> {
  return await measure(target, async ({ send, isOver }) => {
    const loops = Array.from({ length: target.connections }, async () => {
      while (!isOver()) await send(performance.now());
    });
    await Promise.all(loops);
  });
}

export async function loadSteadily(target: LoadTarget, requestsPerSecond: number): Promise<LoadResult> {
  return await measure(target, async ({ send, isOver }) => {
    const startMs = performance.now();
    const pending: Promise<void>[] = [];
    for (let n = 0; !isOver(); n += 1) {
      const dueMs = startMs + (n * 1000) / requestsPerSecond;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      pending.push(send(dueMs));
    }
    await Promise.all(pending);
  });
}

interface Sending {
  readonly send: (fromMs: number) => Promise<void>;
  readonly isOver: () => boolean;
}

async function measure(target: LoadTarget, drive: (sending: Sending) => Promise<void>): Promise<LoadResult> {
  const { url, keys, paths, connections, seconds } = target;
  const pool = new Pool(url, { connections });
  const timesMs: number[] = [];
  let failures = 0;
  let sent = 0;
  const send = async (fromMs: number): Promise<void> => {
    const path = paths[sent % paths.length] ?? '/';
    const authorization = `Bearer ${keys[sent % keys.length]}`;
    sent += 1;
    const { statusCode, body } = await pool.request({ path, method: 'GET', headers: { authorization } });
    await body.dump({ limit: Number.POSITIVE_INFINITY });
    if (statusCode !== 200) failures += 1;
    timesMs.push(performance.now() - fromMs);
  };
  const startMs = performance.now();
  let isEnded = false;
  const end = () => {
    isEnded = true;
  };
  target.until?.then(end, end);
  try {
    await drive({ send, isOver: () => isEnded || performance.now() - startMs > seconds * 1000 });
  } finally {
    await pool.close();
  }
  const elapsedSeconds = (performance.now() - startMs) / 1000;
  timesMs.sort((a, b) => a - b);
  const percentile = (share: number): number => timesMs[Math.floor(timesMs.length * share)] ?? 0;
  return {
    requests: timesMs.length,
    failures,
    requestsPerSecond: timesMs.length / elapsedSeconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  };
}
