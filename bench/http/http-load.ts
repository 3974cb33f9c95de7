// Load on a service, for a number of seconds and then no more: as fast as a fixed number of clients allows, or at a steady
// rate whatever the service does. Under a steady rate a request's time counts from the moment it was due, so that a server
// that stalls cannot hide the requests that had to wait.
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadClient } from './load-client.ts';
import { ProcessorSpeed } from './processor-speed.ts';

/** Longer than any work beside which load is measured. */
const MAX_WORK_SECONDS = 600;

export interface Load {
  /** Sends one request; resolves to whether the answer was good. */
  readonly send: () => Promise<boolean>;
  /** That send requests at a time. */
  readonly clients: number;
  readonly seconds: number;
  /** Ends the load earlier. */
  readonly until?: Promise<unknown>;
}

export interface LoadTarget {
  readonly url: string;
  readonly keys: readonly string[];
  /** Asked for in turns. */
  readonly paths: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly requests: number;
  /** Answers other than 200. */
  readonly failures: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface SteadyResult extends LoadResult {
  /** Of the requests of moments in which the processor kept its speed. */
  readonly undisturbed: Pick<LoadResult, 'requests' | 'p50Ms' | 'p99Ms'>;
}

/** Every client sends its next request when the answer is there. */
export async function loadFully(load: Load): Promise<LoadResult> {
  return summarize([await pressFully(load)]);
}

/** Two loads that are to be compared, one after the other again and again, so that slow moments of the machine fall on both. */
export async function loadInTurns(loads: readonly [Load, Load], turns: number): Promise<[LoadResult, LoadResult]> {
  const taken: [Measured[], Measured[]] = [[], []];
  for (let turn = 0; turn < turns; turn += 1) {
    for (const i of [0, 1] as const)
      taken[i].push(await pressFully({ ...loads[i], seconds: loads[i].seconds / turns }));
  }
  return [summarize(taken[0]), summarize(taken[1])];
}

async function pressFully(load: Load): Promise<Measured> {
  return await measure(load, async ({ send, isOver }) => {
    const loops = Array.from({ length: load.clients }, async () => {
      while (!isOver()) await send(performance.now());
    });
    await Promise.all(loops);
  });
}

/** The same steady rate while other work is done, and before and after it without. */
export async function loadBeside(
  load: Load,
  { requestsPerSecond, work }: { readonly requestsPerSecond: number; readonly work: () => Promise<unknown> },
): Promise<{ readonly alone: SteadyResult; readonly beside: SteadyResult }> {
  const speed = await ProcessorSpeed.watch();
  const before = await pressSteadily(load, requestsPerSecond);
  const working = work();
  const beside = await pressSteadily({ ...load, seconds: MAX_WORK_SECONDS, until: working }, requestsPerSecond);
  await working;
  const after = await pressSteadily(load, requestsPerSecond);
  const wasSlow = await speed.stop();
  return { alone: summarizeSteady([before, after], wasSlow), beside: summarizeSteady([beside], wasSlow) };
}

/** At a share of what can be done. That is measured again in every turn: a machine is not equally fast all the time. */
export async function loadInPart(
  load: Load,
  { share, turns }: { readonly share: number; readonly turns: number },
): Promise<SteadyResult> {
  const speed = await ProcessorSpeed.watch();
  const taken: Measured[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const part = { ...load, seconds: load.seconds / turns };
    const { requestsPerSecond } = await loadFully(part);
    taken.push(await pressSteadily(part, requestsPerSecond * share));
  }
  return summarizeSteady(taken, await speed.stop());
}

async function pressSteadily(load: Load, requestsPerSecond: number): Promise<Measured> {
  return await measure(load, async ({ send, isOver }) => {
    const startMs = performance.now();
    const pending = new Set<Promise<void>>();
    for (let n = 0; !isOver(); n += 1) {
      const dueMs = startMs + (n * 1000) / requestsPerSecond;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      const sending = send(dueMs).finally(() => pending.delete(sending));
      pending.add(sending);
    }
    await Promise.all(pending);
  });
}

/** Load by HTTP, over connections that are closed behind it. */
export async function withHttpLoad<T>(target: LoadTarget, work: (load: Load) => Promise<T>): Promise<T> {
  const { url, keys, paths, connections, seconds } = target;
  using client = await LoadClient.open(url, { connections });
  let sent = 0;
  const send = async (): Promise<boolean> => {
    const path = paths[sent % paths.length] ?? '/';
    const key = keys[sent % keys.length] ?? '';
    sent += 1;
    return (await client.get(path, key)) === 200;
  };
  return await work({ send, clients: connections, seconds });
}

interface Sending {
  readonly send: (fromMs: number) => Promise<void>;
  readonly isOver: () => boolean;
}

interface Measured {
  readonly requests: readonly { readonly fromMs: number; readonly tookMs: number; readonly isGood: boolean }[];
  readonly elapsedSeconds: number;
}

async function measure(load: Load, drive: (sending: Sending) => Promise<void>): Promise<Measured> {
  const requests: Measured['requests'][number][] = [];
  const send = async (fromMs: number): Promise<void> => {
    const isGood = await load.send();
    requests.push({ fromMs, tookMs: performance.now() - fromMs, isGood });
  };
  const startMs = performance.now();
  let isEnded = false;
  const end = () => {
    isEnded = true;
  };
  load.until?.then(end, end);
  await drive({ send, isOver: () => isEnded || performance.now() - startMs > load.seconds * 1000 });
  return { requests, elapsedSeconds: (performance.now() - startMs) / 1000 };
}

function summarizeSteady(measured: readonly Measured[], wasSlow: (fromMs: number) => boolean): SteadyResult {
  const undisturbed = measured.map(({ requests, ...rest }) => ({
    ...rest,
    requests: requests.filter(({ fromMs }) => !wasSlow(fromMs)),
  }));
  const { requests, p50Ms, p99Ms } = summarize(undisturbed);
  return { ...summarize(measured), undisturbed: { requests, p50Ms, p99Ms } };
}

function summarize(measured: readonly Measured[]): LoadResult {
  const requests = measured.flatMap((each) => each.requests);
  const timesMs = requests.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const elapsedSeconds = measured.reduce((total, each) => total + each.elapsedSeconds, 0);
  const percentile = (share: number): number => timesMs[Math.floor(timesMs.length * share)] ?? 0;
  return {
    requests: timesMs.length,
    failures: requests.filter(({ isGood }) => !isGood).length,
    requestsPerSecond: timesMs.length / elapsedSeconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  };
}
