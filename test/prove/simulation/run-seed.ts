// One world from its beginning to its rest: imports and trouble for some minutes, then no more trouble until everything that
// was to be done is done.
import type { Period } from '../../../src/domain/period.ts';
import { installDisk } from './disk-functions.ts';
import { checkHealthy, checkOutcome, isBehind, listUnfinished, type Scene, ServedWatcher } from './invariants.ts';
import type { PlantedFault } from './planted-faults.ts';
import { populate, TERMS } from './population.ts';
import { Receivers } from './receivers.ts';
import { importReports, type Report } from './simulated-import.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { SimulatedServer } from './simulated-server.ts';
import { World } from './world.ts';

export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly string[];
  /** The last steps before the first violation. */
  readonly trace: readonly string[];
  readonly steps: number;
  readonly faults: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Longer than all retries of a message together. */
const MAX_REST_MS = 40 * HOUR_MS;
/** What failed during the trouble was tried four or five times: the next attempt is at most two hours away. */
const MAX_HEALTHY_MS = 6 * HOUR_MS;
/** Workers look at their queues about this often. */
const LEAP_MS = 1_000;
/** A world that does not come to rest by itself. */
const MAX_STEPS = 30_000;

export async function runSeed(seed: number, planted?: PlantedFault): Promise<SeedResult> {
  const world = new World(seed, planted);
  const restore = [world.clock.install(), installDisk(world), watchRejections(world)];
  let steps = 0;
  try {
    const { members, receivers: kinds } = await populate(world);
    const receivers = new Receivers(world, kinds);
    const names = ['a', 'b', 'c'].slice(0, 1 + world.random.below(3));
    const servers = names.map((name) => new SimulatedServer(world, receivers, name));
    const imports = { open: 0, reports: [] as Report[] };
    const scene: Scene = { world, servers, members, receivers, reports: imports.reports };
    scheduleImports(world, imports);
    scheduleTrouble(scene);

    const watcher = new ServedWatcher(scene);
    const run = async (isOver: () => boolean) => {
      while (!isOver() && world.violations.length === 0 && steps < MAX_STEPS) {
        // Who is behind looks every few seconds, which a leap would leave out.
        if (!isBehind(scene)) leap(world);
        await world.clock.step();
        steps += 1;
        watcher.check();
      }
    };
    world.areFaultsOn = true;
    const troubleMs = MINUTE_MS * (1 + world.random.below(10));
    await run(() => world.clock.elapsedMs > troubleMs);
    world.areFaultsOn = false;
    world.note('world', 'the trouble is over');
    const isAtRest = () => imports.open === 0 && listUnfinished(scene).length === 0;
    await run(() => isAtRest() || world.clock.elapsedMs > troubleMs + MAX_HEALTHY_MS);
    if (world.violations.length === 0) checkHealthy(scene);
    await run(() => isAtRest() || world.clock.elapsedMs > troubleMs + MAX_REST_MS);
    if (world.violations.length === 0) {
      if (steps >= MAX_STEPS) world.violate(`no rest after ${steps} steps`);
      if (imports.open > 0) world.violate(`${imports.open} imports never succeeded`);
      for (const unfinished of listUnfinished(scene)) world.violate(unfinished);
      checkOutcome(scene);
    }
  } finally {
    for (const undo of restore) undo();
  }
  return { seed, violations: world.violations, trace: world.trace, steps, faults: world.faultCount };
}

/** Time leaps to the next moment at which anybody has something to do: looks at an empty queue are left out. */
function leap(world: World): void {
  const { clock, database } = world;
  const due = [
    ...database
      .list('publications')
      .filter((row) => row.set_aside_at === null)
      .map((row) => row.next_attempt_at),
    ...database
      .list('webhook_deliveries')
      .filter(({ status }) => status === 'pending')
      .map((row) => row.next_attempt_at),
  ];
  const next = Math.min(clock.nextMs, clock.nowMs + HOUR_MS, ...due);
  if (next > clock.nowMs + LEAP_MS) clock.leapTo(next);
}

/** Nothing may be rejected without anyone listening: it would end a server. */
function watchRejections(world: World): () => void {
  const others = process.listeners('unhandledRejection');
  const onRejection = (reason: unknown) =>
    world.violate(
      `unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
    );
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', onRejection);
  return () => {
    process.off('unhandledRejection', onRejection);
    for (const other of others) process.on('unhandledRejection', other);
  };
}

function scheduleImports(world: World, imports: { open: number; readonly reports: Report[] }): void {
  const { clock, random } = world;
  // Some of them wait for each other, or take over from each other.
  const spanMs = random.pick([1_000, 10_000, 4 * MINUTE_MS]);
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    const given = Array.from({ length: 1 + random.below(2) }, () => drawReport(world));
    imports.open += 1;
    clock.after(random.below(spanMs), () => {
      imports.reports.push(...given);
      void repeatImport(world, { name: `import-${count}`, reports: given }).then(() => {
        imports.open -= 1;
      });
    });
  }
}

function drawReport({ random }: World): Report {
  const frequency = random.pick(['monthly', 'weekly'] as const);
  const period: Period = { frequency, year: 2025, number: 1 + random.below(3) };
  return { period, ranks: Object.fromEntries(TERMS.map((term) => [term, 1 + random.below(12)])) };
}

/** An operator tries again until it works. */
async function repeatImport(
  world: World,
  { name, reports }: { readonly name: string; readonly reports: readonly Report[] },
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const process = new SimulatedProcess(world, `${name}.${attempt}`);
    const isDone = await new Promise<boolean>((resolve) => {
      process.onDeath(() => resolve(false));
      importReports(process, reports).then(
        () => resolve(true),
        (error: unknown) => process.kill(`failed: ${String(error)}`),
      );
    });
    process.kill('ended');
    if (isDone) return;
    await world.clock.sleep(1_000 + world.random.below(30_000));
  }
}

function scheduleTrouble({ world, servers }: Scene): void {
  const { clock, random } = world;
  const kinds: readonly (() => void)[] = [
    () => random.pick(servers).kill('by the operator'),
    () => random.pick(servers).loseListener(),
    () => world.restartDatabase(),
    () => world.cutPower(),
    () => world.cutSession(),
    () => world.cutSession(),
  ];
  const spanMs = random.pick([2_000, 20_000, 6 * MINUTE_MS]);
  for (let count = random.below(10); count > 0; count -= 1) {
    const trouble = random.pick(kinds);
    clock.after(random.below(spanMs), () => {
      if (world.areFaultsOn) trouble();
    });
  }
}
