// Searches over HTTP with everything that stands before them: key, rate limit, history. The server is a process of its own;
// the requests come from this one, on the same machine.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { print } from '../src/cli/output.ts';
import type { PeriodKey } from '../src/domain/period.ts';
import { chooseSnapshot, type SnapshotChoice } from './data/bench-snapshot.ts';
import { openBenchService } from './http/bench-service.ts';
import { type HttpCase, readHttpCases } from './http/http-cases.ts';
import {
  type LoadResult,
  type LoadTarget,
  loadBeside,
  loadFully,
  loadInPart,
  loadInTurns,
  type SteadyResult,
  withHttpLoad,
} from './http/http-load.ts';
import type { EventLoopDelay } from './http/http-server.ts';
import { PlainWork } from './http/plain-work.ts';
import { prepareImport, type WaitingImport } from './http/running-import.ts';

/** Of the cases of `bench search`: what users mostly ask, and what is heaviest. */
const USUAL = ['exact', 'ASIN', 'rare word', 'common word', 'common word, by avg_rank', 'two words', 'brand filter'];
const HEAVY = /^very common word|^by avg_rank|^excluded word|filter$/;
const STEADY_SHARE = 0.7;
const WARM_UP_SECONDS = 2;
/** What is compared is loaded in so many turns. */
const TURNS = 5;
/** Beside an import the server is used, not pressed. */
const LIGHT_SHARE = 0.2;
const LOOK_AGAIN_MS = 100;

interface Flags extends SnapshotChoice {
  readonly seconds: number;
  readonly connections: number;
  readonly organizations: number;
  readonly importRows?: number;
  readonly scratch?: string;
  readonly json?: boolean;
}

interface HttpBench {
  readonly keywords: number;
  readonly readyMs: number;
  readonly admission: LoadResult;
  readonly searches: LoadResult;
  readonly steady: SteadyResult;
  /** Plain arithmetic in place of searches, at the same share of what can be done. */
  readonly plain: SteadyResult;
  readonly heavy: LoadResult;
  readonly heavyDelay: EventLoopDelay;
  /** The same light load without an import and beside one. */
  readonly besideImport?: { readonly alone: SteadyResult; readonly beside: SteadyResult };
}

export function registerBenchHttp(bench: Command): void {
  bench
    .command('http')
    .description('measure searches over HTTP against requests that are only admitted, on a scratch database')
    .option('--rows <count>', 'make data of its own with so many terms per month instead', parseCount)
    .option('--periods <count>', 'months of that data', parseCount, 24)
    .option('--snapshot <dir>', 'serve the snapshot in this directory instead')
    .option('--seconds <count>', 'how long each load lasts', parseCount, 10)
    .option('--connections <count>', 'requests at a time', parseCount, 16)
    .option('--organizations <count>', 'organizations to spread the requests over, 500 searches each', parseCount, 200)
    .option('--import-rows <count>', 'also measure searches while a report of so many rows is imported', parseCount)
    .option('--scratch <dir>', 'where the scratch database goes; removed afterwards')
    .option('--json', 'print JSON')
    .action(async (flags: Flags) => {
      const result = await runBench(flags);
      print(result, { json: flags.json, lines: presentHttpBench(result) });
    });
}

async function runBench(flags: Flags): Promise<HttpBench> {
  const parent = flags.scratch ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const scratch = await mkdtemp(join(parent, 'keyrank-bench-'));
  try {
    const snapshotDirectory = await chooseSnapshot(flags, scratch);
    const { cases, data } = await readHttpCases(snapshotDirectory);
    await using service = await openBenchService({
      data,
      snapshotDirectory,
      directory: join(scratch, 'data'),
      organizations: flags.organizations,
    });
    // Long before it runs, so that the disk has come to rest by then.
    using waiting = flags.importRows
      ? await prepareImport({ directory: scratch, dataDirectory: join(scratch, 'data'), rows: flags.importRows })
      : undefined;
    const usual = pathsOf(cases, ({ name }) => USUAL.includes(name));
    const heavyPaths = pathsOf(cases, ({ name }) => HEAVY.test(name));
    const target: LoadTarget = { ...flags, url: service.url, keys: service.keys, paths: usual };
    const probes = { ...target, paths: usual.map((path) => path.replace(/^\/v1\/search\/\w+\?(asin=)?/, probePath)) };
    for (const paths of [probes.paths, usual]) await askFully({ ...target, paths, seconds: WARM_UP_SECONDS });
    const [admission, searches] = await withHttpLoad(probes, (admitted) =>
      withHttpLoad(target, (searched) => loadInTurns([admitted, searched], TURNS)),
    );
    const steady = await withHttpLoad(target, (load) => loadInPart(load, { share: STEADY_SHARE, turns: TURNS }));
    const plain = await loadPlainly(flags, searches.requestsPerSecond);
    let heavy = searches;
    const heavyDelay = await service.watchEventLoop(async () => {
      heavy = await askFully({ ...target, paths: heavyPaths });
    });
    const lightRate = searches.requestsPerSecond * LIGHT_SHARE;
    const besideImport = waiting && (await measureBesideImport(target, waiting, lightRate));
    return {
      keywords: data.documentCount,
      readyMs: service.readyMs,
      admission,
      searches,
      steady,
      plain,
      heavy,
      heavyDelay,
      ...(besideImport && { besideImport }),
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function askFully(target: LoadTarget): Promise<LoadResult> {
  return await withHttpLoad(target, loadFully);
}

/** Pieces about as long as a search and all that belongs to it. */
async function loadPlainly({ seconds, connections }: Flags, searchesPerSecond: number): Promise<SteadyResult> {
  const threads = availableParallelism();
  await using work = new PlainWork({ threads, pieceMs: (threads * 1000) / searchesPerSecond });
  const send = async (): Promise<boolean> => {
    await work.run();
    return true;
  };
  return await loadInPart({ send, clients: connections, seconds }, { share: STEADY_SHARE, turns: TURNS });
}

async function measureBesideImport(
  target: LoadTarget,
  waiting: WaitingImport,
  requestsPerSecond: number,
): Promise<HttpBench['besideImport']> {
  // A server loads what was published, which searches may notice too.
  const work = async (): Promise<void> => {
    await waiting.run();
    while (!(await isShown(target, waiting.period))) await sleep(LOOK_AGAIN_MS);
  };
  // The first request of its kind takes a process some time, which the load is not to wait for.
  await isShown(target, waiting.period);
  return await withHttpLoad(target, (load) => loadBeside(load, { requestsPerSecond, work }));
}

async function isShown({ url, keys: [key] }: LoadTarget, period: PeriodKey): Promise<boolean> {
  const answer = await fetch(`${url}/v1/periods?type=weekly`, { headers: { authorization: `Bearer ${key}` } });
  return (await answer.text()).includes(`"${period}"`);
}

/** The same parameters, admitted and not searched; an ASIN goes where a query stands. */
function probePath(_match: string, asin: string | undefined): string {
  return `/v1/bench/admission?${asin === undefined ? '' : 'query='}`;
}

function pathsOf(cases: readonly HttpCase[], isWanted: (each: HttpCase) => boolean): readonly string[] {
  return cases.filter(isWanted).map(({ path }) => path);
}

function presentHttpBench(bench: HttpBench): readonly string[] {
  const { admission, searches, steady, plain, heavy, heavyDelay, besideImport } = bench;
  const share = (searches.requestsPerSecond / admission.requestsPerSecond) * 100;
  return [
    `${bench.keywords.toLocaleString('en')} keywords; ready after ${(bench.readyMs / 1000).toFixed(1)} s (goal at size l: at most 15)`,
    `admitted only: ${loadText(admission)}`,
    `searches: ${loadText(searches)}, ${share.toFixed(0)} % of that (goal: at least 40)`,
    `searches at ${STEADY_SHARE * 100} % load: ${steadyText(steady)} (goal: at most 5)`,
    `plain arithmetic in ${availableParallelism()} threads at ${STEADY_SHARE * 100} % load: ${steadyText(plain)}: what this machine adds by itself`,
    `heaviest searches: ${loadText(heavy)}; event-loop delay p99 ${heavyDelay.p99Ms.toFixed(1)} ms, longest ${heavyDelay.maxMs.toFixed(1)} ms (goal: p99 below 20)`,
    ...(besideImport ? besideTexts(besideImport) : []),
  ];
}

function besideTexts({ alone, beside }: NonNullable<HttpBench['besideImport']>): readonly string[] {
  const ratio = (beside.p99Ms / alone.p99Ms).toFixed(1);
  const [quiet, quietBeside] = [alone.undisturbed, beside.undisturbed];
  const percent = Math.round((quietBeside.requests / beside.requests) * 100);
  const quietRatio = (quietBeside.p99Ms / quiet.p99Ms).toFixed(1);
  return [
    `at ${LIGHT_SHARE * 100} % load: ${loadText(alone)}`,
    `while an import runs: ${loadText(beside)}, p99 ${ratio} × (goal: at most 2)`,
    `in the ${percent} % of it in which the processor kept its speed: p99 ${quiet.p99Ms.toFixed(1)} and ${quietBeside.p99Ms.toFixed(1)} ms, ${quietRatio} ×`,
  ];
}

function steadyText({ undisturbed, ...whole }: SteadyResult): string {
  const ratio = ({ p50Ms, p99Ms }: Pick<LoadResult, 'p50Ms' | 'p99Ms'>): string =>
    `p99 ${(p99Ms / p50Ms).toFixed(1)} × p50`;
  if (undisturbed.requests === 0)
    return `${loadText(whole)}, ${ratio(whole)}; the processor never kept its speed for long`;
  const percent = Math.round((undisturbed.requests / whole.requests) * 100);
  const { p50Ms, p99Ms } = undisturbed;
  return `${loadText(whole)}, ${ratio(whole)}; in the ${percent} % of it in which the processor kept its speed p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${ratio(undisturbed)}`;
}

function loadText({ requests, failures, requestsPerSecond, p50Ms, p99Ms }: LoadResult): string {
  const failed = failures === 0 ? '' : `, ${failures} of ${requests} not answered with 200`;
  return `${requestsPerSecond.toFixed(0)} requests/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms${failed}`;
}

function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('Use a whole number from 1.');
  return Number(text);
}
