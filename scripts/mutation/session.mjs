// One area from its list of mutants to what became of each: test file after test file, each for the mutants that the files before
// it left alive. A worker that hangs or breaks is replaced; what it was trying counts as killed.
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';
import { instrumentCode } from './instrumented-code.mjs';

/** @typedef {import('./mutants.mjs').Mutant} Mutant */
/** @typedef {'killed' | 'survived' | 'unreached' | 'invalid'} Fate */

const RUNNER = fileURLToPath(new URL('./mutation-runner.mjs', import.meta.url));
/** Beyond the limit that the worker itself keeps: it hangs where it cannot look at the clock. */
const HANG_MS = 20_000;
const MIGRATED = 'await checkServerVersion(client);';

/**
 * @param {{ root: string, setup: readonly string[], tests: readonly string[], mutants: readonly Mutant[], onProgress?: (line: string) => void, hangMs?: number, endMs?: number }} options
 * @returns {Promise<{ fates: ReadonlyMap<number, Fate>, broken: readonly { test: string, error: string }[] }>}
 */
export async function tryMutants({
  root,
  setup,
  tests,
  mutants,
  onProgress = () => {},
  hangMs = HANG_MS,
  endMs = Number.POSITIVE_INFINITY,
}) {
  const folder = await mkdtemp(join(tmpdir(), 'keyrank-mutate-'));
  process.env.KEYRANK_MUTATION_JOB = join(folder, 'job.json');
  const state = { fates: new Map(), loaded: new Map(), tried: new Set(), broken: [] };
  const vitest = await createVitest(
    'test',
    {
      root,
      config: false,
      include: [...tests],
      globalSetup: [...setup],
      testTimeout: 60_000,
      hookTimeout: 120_000,
      watch: false,
      runner: RUNNER,
      pool: 'forks',
      maxWorkers: 1,
      execArgv: ['--disable-warning=MaxListenersExceededWarning'],
      reporters: [{}],
      dangerouslyIgnoreUnhandledErrors: true,
    },
    { plugins: [instrumenting(root, mutants)] },
  );
  try {
    const session = { vitest, root, folder, mutants, state, onProgress, hangMs, endMs };
    for (const test of tests) await tryTestFile(session, test);
    for (const mutant of mutants) {
      const files = state.loaded.get(mutant.id);
      if (performance.now() > endMs) break;
      if (files && isAlive(state, mutant)) await tryAtLoad(session, mutant, files);
    }
  } finally {
    await vitest.close();
    await rm(folder, { recursive: true, force: true });
  }
  const fates = new Map(mutants.map(({ id }) => [id, state.fates.get(id) ?? 'unreached']));
  return { fates, broken: state.broken };
}

/** All mutants that live, on one test file, in as many workers as it takes. */
async function tryTestFile(session, test) {
  const { mutants, state, onProgress } = session;
  for (let first; ; ) {
    const alive = mutants.filter((mutant) => isAlive(state, mutant));
    if (alive.length === 0 || performance.now() > session.endMs) return;
    const job = {
      mutants: alive.map(({ id, definition, function: name }) => ({ id, definition, function: name })),
      tried: [...state.tried],
      first,
    };
    const events = await runWorker(session, test, job);
    const end = readEvents(events, test, session);
    const killed = mutants.filter(({ id }) => state.fates.get(id) === 'killed').length;
    onProgress(`${test}: ${killed} of ${mutants.length} killed`);
    if (end === undefined) return;
    first = end.first;
  }
}

/** Mutants of what is computed when a file is loaded, or in hooks: one whole run of the file for each. */
async function tryAtLoad(session, mutant, files) {
  const { state, onProgress } = session;
  for (const test of files) {
    if (mutant.definition) continue;
    const job = { mutants: [], tried: [], atLoad: mutant.id };
    const events = await runWorker(session, test, job);
    const isWell = events.some(({ event }) => event === 'done');
    state.fates.set(mutant.id, isWell ? 'survived' : 'killed');
    if (!isWell) break;
  }
  onProgress(`${mutant.path}:${mutant.line} at load: ${state.fates.get(mutant.id)}`);
}

/** @returns undefined when the test file was gone through, or else what to begin with in a fresh worker */
function readEvents(events, test, { state, onProgress }) {
  let trying;
  for (const { event, mutant, test: name, mutants = [], error } of events) {
    if (event === 'loaded')
      for (const id of mutants) state.loaded.set(id, (state.loaded.get(id) ?? new Set()).add(test));
    else if (event === 'reached') for (const id of mutants) reach(state, id);
    else if (event === 'broken') state.broken.push({ test: name, error });
    else if (event === 'once') onProgress(`cannot run twice, and is left out: ${name}`);
    else if (event === 'try') trying = { mutant, name };
    else if (event === 'killed' || event === 'invalid') state.fates.set(mutant, event);
    else if (event === 'suspect') {
      state.tried.delete(`${mutant} ${name}`);
      return { first: mutant };
    } else if (event === 'survived') reach(state, mutant);
    if (event === 'try') state.tried.add(`${mutant} ${name}`);
    if (['killed', 'invalid', 'suspect', 'survived'].includes(event)) trying = undefined;
  }
  if (events.some(({ event }) => event === 'done')) return undefined;
  if (trying) state.fates.set(trying.mutant, 'killed');
  else if (!events.some(({ event }) => event === 'killed')) {
    state.broken.push({ test, error: 'The worker ended without having tried anything.' });
    return undefined;
  }
  return {};
}

async function runWorker({ vitest, root, folder, mutants, hangMs, endMs }, test, job) {
  const progressFile = join(folder, 'progress.jsonl');
  writeFileSync(progressFile, '');
  writeFileSync(
    process.env.KEYRANK_MUTATION_JOB,
    JSON.stringify({ ...job, count: mutants.length, progressFile, leftMs: endMs - performance.now() }),
  );
  const specifications = await vitest.globTestSpecifications([test]);
  const exact = specifications.filter(({ moduleId }) => relative(root, moduleId) === test);
  if (exact.length === 0) throw new Error(`There is no test file ${test}.`);
  const watch = watchWorker(progressFile, hangMs);
  try {
    await vitest.runTestSpecifications(exact);
  } finally {
    clearInterval(watch);
  }
  return readProgress(progressFile);
}

/** Ends a worker that has said nothing for much longer than it may take. */
function watchWorker(progressFile, hangMs) {
  let seen = 0;
  let sinceMs = performance.now();
  return setInterval(() => {
    const events = readProgress(progressFile);
    if (events.length !== seen) [seen, sinceMs] = [events.length, performance.now()];
    const last = events.findLast(({ pid }) => pid !== undefined);
    if (last && performance.now() - sinceMs > last.limitMs + hangMs) {
      sinceMs = performance.now();
      try {
        process.kill(last.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }, 500);
}

function readProgress(progressFile) {
  const lines = readFileSync(progressFile, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

function reach(state, id) {
  if (!state.fates.has(id)) state.fates.set(id, 'survived');
}

function isAlive(state, { id }) {
  return !['killed', 'invalid'].includes(state.fates.get(id));
}

/** Vite's transform of the files with mutants, and of the one that knows which databases there are. */
function instrumenting(root, mutants) {
  const byPath = new Map();
  for (const mutant of mutants.filter(({ definition }) => !definition)) {
    byPath.set(mutant.path, [...(byPath.get(mutant.path) ?? []), mutant]);
  }
  return {
    name: 'keyrank-mutants',
    enforce: 'pre',
    transform(code, id) {
      const path = relative(root, id.split('?')[0]);
      if (path === 'src/postgres/migrations.ts') {
        if (!code.includes(MIGRATED)) throw new Error(`${path} has changed: ${MIGRATED} is not in it any more.`);
        return code.replace(
          MIGRATED,
          `globalThis.keyrankDatabases?.push(server.connection('keyrank_owner')); ${MIGRATED}`,
        );
      }
      const own = byPath.get(path);
      return own && instrumentCode(code, own);
    },
  };
}
