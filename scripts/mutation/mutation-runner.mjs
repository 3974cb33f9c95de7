// The runner that vitest uses in its worker. Each test is run once as it is, which tells what it reaches; then again for each mutant that it
// reaches and that still lives, with vitest's own hooks before and after. In files with hooks, which may share a database, a kill counts when
// the same test passes without the mutant right after it; otherwise the mutants before may have left something behind, and the mutant is
// tried first in a fresh worker.
import { appendFileSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { vi } from 'vitest';
import { VitestTestRunner } from 'vitest/runners';
import { getCurrentSuite, getFn, getHooks } from 'vitest/suite';
import { openSqlMutants } from './sql-switch.mjs';

/** A test may take this many times as long as without a mutant, and this much more. */
const PATIENCE = 5;
const PATIENCE_MS = 4_000;
/** The same for processor time: a loop that never ends is stopped where it passes a mutant, and no timer could do so. */
const CPU_PATIENCE_MS = 500;
/** How many passes there are between two looks at that clock. */
const PASSES_PER_LOOK = 1024;
/** For a whole file that has had its mutant since it was loaded. */
const MAX_FILE_CPU_MS = 120_000;
/** PostgreSQL could not even read the statement: such a mutant says nothing of the tests. */
const UNREADABLE_SQL = new Set(['42601', '42703', '42704', '42883', '42804', '42P01', '42P08', '42P18', '42725']);

/** @typedef {{ progressFile: string, mutants: readonly { id: number, definition?: string, function?: string }[],
 *   tried: readonly string[], first?: number, leftMs?: number | null, atLoad?: number, count: number }} Job */

class EndlessLoop extends Error {}

export default class MutationRunner extends VitestTestRunner {
  /** @type {Job} */
  #job = JSON.parse(readFileSync(process.env.KEYRANK_MUTATION_JOB, 'utf8'));
  #waiting = new Map(this.#job.mutants.map((mutant) => [mutant.id, mutant]));
  #tried = new Set(this.#job.tried);
  #sql = openSqlMutants();
  #reached = new Uint8Array(this.#job.count);
  #active = this.#job.atLoad;
  #passes = 0;
  #endCpuMs = Number.POSITIVE_INFINITY;
  #plans = new Map();
  #loaded = new Set();
  #survivors = new Set();
  #longestMs = 0;
  /** Null in JSON stands for no end. */
  #endMs = performance.now() + (this.#job.leftMs ?? Number.POSITIVE_INFINITY);
  #isOver = false;
  #isFresh = true;

  constructor(config) {
    super(config);
    // The first counterexample is enough: nobody reads the smallest one. And tests of thousands of runs that let it be chosen take fewer.
    fc.configureGlobal({ endOnFailure: true, numRuns: 100 });
    globalThis.isKeyrankMutant = (id) => {
      this.#passes += 1;
      if (this.#passes % PASSES_PER_LOOK === 0 && cpuMs() > this.#endCpuMs) throw new EndlessLoop();
      if (this.#active === undefined) this.#reached[id] = 1;
      return id === this.#active;
    };
    if (this.#job.atLoad !== undefined) this.#endCpuMs = cpuMs() + MAX_FILE_CPU_MS;
  }

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask(test);
    if (this.#isOver) test.mode = 'skip';
    else if (this.#job.atLoad === undefined) test.repeats = Number.POSITIVE_INFINITY;
    this.#noteReachedAtLoad();
  }

  /** Called for each repeat of a test, between its hooks. */
  async runTask(test) {
    const run = getFn(test);
    if (this.#job.atLoad !== undefined) return await this.#runAtLoad(run);
    const name = fullName(test);
    const plan = this.#plans.get(test);
    // One run for each repeat: hooks before and after belong to all of them.
    if (!plan) return await this.#plan(test, name, run);
    const next = plan.waiting.find(({ id }) => this.#waiting.has(id) && !this.#tried.has(`${id} ${name}`));
    if (plan.isUnproven) await this.#prove(plan, run);
    else if (plan.control) await this.#control(plan, run);
    else if (next) await this.#try(next, plan, run);
    else this.#finish(test);
    if (performance.now() > this.#endMs) this.#isOver = true;
    if (this.#isOver) this.#finish(test);
  }

  async onAfterRunSuite(suite) {
    await super.onAfterRunSuite(suite);
    this.#noteReachedAtLoad();
  }

  async onAfterRunFiles(files) {
    super.onAfterRunFiles();
    if (this.#isOver) return;
    const failed = files.flatMap(listFailed);
    if (this.#job.atLoad === undefined) {
      for (const { name, result } of failed)
        this.#tell({ event: 'broken', test: name, error: result.errors?.[0]?.stack });
      for (const file of files) await this.#tryReloading(file);
    } else if (failed.length > 0) return;
    this.#tell({ event: 'done' });
  }

  /**
   * Everything is loaded again for mutants of what is computed when a file is loaded; and for those that survived, because one of the
   * mutants before may have changed values that the tests share.
   */
  async #tryReloading(file) {
    // Hooks are vitest's own matter: such a file is run as a whole for each.
    if (hasHooks(file)) return this.#tell({ event: 'loaded', mutants: [...this.#loaded] });
    for (const id of new Set([...this.#loaded, ...this.#survivors])) {
      if (!this.#waiting.has(id)) continue;
      this.#tell({
        event: 'try',
        mutant: id,
        test: `${file.name} > loaded again`,
        limitMs: this.#longestMs,
        pid: process.pid,
      });
      this.#active = id;
      this.#endCpuMs = cpuMs() + this.#longestMs;
      const fault = await this.#runReloaded(file);
      this.#tell({ event: fault ? 'killed' : 'survived', mutant: id, test: file.name, fault });
      if (fault) this.#waiting.delete(id);
    }
  }

  async #runReloaded(file) {
    vi.resetModules();
    const collector = getCurrentSuite();
    collector.clear();
    try {
      await this.importFile(file.filepath, 'collect');
      for (const run of await listTests(collector.tasks, file)) {
        const fault = await settle(run, this.#longestMs);
        if (fault) return fault;
      }
      return undefined;
    } catch {
      return 'failed';
    }
  }

  /** The first run of a test: without a mutant. */
  async #plan(test, name, run) {
    this.#active = undefined;
    this.#reached.fill(0);
    const [startMs, startCpuMs] = [performance.now(), cpuMs()];
    try {
      await run();
    } catch (error) {
      this.#tell({ event: 'broken', test: name, error: String(error?.stack) });
      this.#finish(test);
    }
    const limitMs = PATIENCE_MS + PATIENCE * (performance.now() - startMs);
    this.#longestMs = Math.max(this.#longestMs, limitMs);
    const waiting = this.#job.mutants.filter(({ id, definition }) =>
      definition ? this.#sql.isUsed() : this.#reached[id],
    );
    const { first } = this.#job;
    waiting.sort((a, b) => Number(b.id === first) - Number(a.id === first));
    this.#tell({ event: 'reached', mutants: waiting.map(({ id }) => id) });
    const limitCpuMs = CPU_PATIENCE_MS + PATIENCE * (cpuMs() - startCpuMs);
    const plan = {
      name,
      limitMs,
      limitCpuMs,
      waiting,
      isShared: hasHooks(test.file),
      isUnproven: hasHooks(test.file),
      control: undefined,
    };
    this.#plans.set(test, plan);
    // What the hooks reach belongs to no test.
    this.#reached.fill(0);
  }

  /** A test that cannot run twice, because it leaves something behind, would seem to kill every mutant. */
  async #prove(plan, run) {
    plan.isUnproven = false;
    if (plan.waiting.length === 0 || (await settle(run, plan.limitMs)) === undefined) return;
    plan.waiting = [];
    this.#tell({ event: 'once', test: plan.name });
  }

  async #try(mutant, plan, run) {
    this.#tried.add(`${mutant.id} ${plan.name}`);
    this.#tell({ event: 'try', mutant: mutant.id, test: plan.name, limitMs: plan.limitMs, pid: process.pid });
    const fault = await this.#runMutated(mutant, plan, run);
    const isFresh = this.#isFresh;
    this.#isFresh = false;
    if (!fault) {
      this.#survivors.add(mutant.id);
      return this.#tell({ event: 'survived', mutant: mutant.id, test: plan.name });
    }
    if (fault === 'unreadable') {
      this.#waiting.delete(mutant.id);
      return this.#tell({ event: 'invalid', mutant: mutant.id });
    }
    if (plan.isShared) plan.control = { mutant: mutant.id, fault, isFresh };
    else this.#kill(mutant.id, plan, fault);
  }

  #kill(mutant, plan, fault) {
    this.#waiting.delete(mutant);
    this.#tell({ event: 'killed', mutant, test: plan.name, fault });
  }

  async #control(plan, run) {
    const { mutant, fault, isFresh } = plan.control;
    plan.control = undefined;
    const isWell = (await settle(run, plan.limitMs)) === undefined;
    this.#isOver = !isWell;
    if (isWell || isFresh) this.#kill(mutant, plan, fault);
    else this.#tell({ event: 'suspect', mutant, test: plan.name });
  }

  /** Skipping is the one way out of vitest's repeats. */
  #finish(test) {
    this.#active = undefined;
    test.context.skip();
  }

  /** @returns what went wrong, or undefined */
  async #runMutated(mutant, { limitMs, limitCpuMs }, run) {
    try {
      await this.#sql.activate(mutant);
    } catch {
      await this.#sql.deactivate();
      return 'unreadable';
    }
    this.#active = mutant.id;
    this.#endCpuMs = cpuMs() + limitCpuMs;
    try {
      return await settle(run, limitMs);
    } finally {
      // No mutant, but nothing is recorded either: what still runs belongs to this one.
      this.#active = -1;
      this.#endCpuMs = Number.POSITIVE_INFINITY;
      await this.#sql.deactivate();
    }
  }

  /** The mutant has been there since the file was loaded; one failure is enough. */
  async #runAtLoad(run) {
    try {
      await run();
    } catch (error) {
      this.#isOver = true;
      throw error;
    }
  }

  #noteReachedAtLoad() {
    if (this.#active !== undefined) return;
    const mutants = [...this.#reached.keys()].filter((id) => this.#reached[id]);
    this.#reached.fill(0);
    for (const id of mutants) this.#loaded.add(id);
  }

  #tell(event) {
    appendFileSync(this.#job.progressFile, `${JSON.stringify(event)}\n`);
  }
}

/** The functions of all tests that stand in collected suites. */
async function listTests(tasks, file) {
  const lists = await Promise.all(
    tasks.map(async (task) => {
      if (task.type === 'test') return [getFn(task)];
      const { tasks: inner } = task.type === 'collector' ? await task.collect(file) : task;
      return await listTests(inner, file);
    }),
  );
  return lists.flat();
}

function listFailed(task) {
  return [...(task.result?.state === 'fail' ? [task] : []), ...(task.tasks ?? []).flatMap(listFailed)];
}

function hasHooks(suite) {
  const isHooked = Object.values(getHooks(suite)).some((hooks) => hooks.length > 0);
  return isHooked || suite.tasks.some((task) => task.type === 'suite' && hasHooks(task));
}

async function settle(run, limitMs) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, limitMs, 'late');
  });
  try {
    return await Promise.race([Promise.resolve(run()).then(() => undefined), late]);
  } catch (error) {
    if (error instanceof EndlessLoop) return 'endless';
    return isUnreadable(error) ? 'unreadable' : 'failed';
  } finally {
    clearTimeout(timer);
  }
}

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function isUnreadable(error) {
  return UNREADABLE_SQL.has(error?.code) || UNREADABLE_SQL.has(error?.cause?.code);
}

function fullName(test) {
  const outer = test.suite ?? test.file;
  return outer && outer !== test.file ? `${fullName(outer)} > ${test.name}` : `${test.file.name} > ${test.name}`;
}
