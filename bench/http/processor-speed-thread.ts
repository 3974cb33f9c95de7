// Takes no memory while it runs, and never returns to the event loop before its end: garbage collections of this thread would
// disturb what is measured.
import { openSync, readSync } from 'node:fs';
import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { calculate } from './arithmetic.ts';
import { COUNT, MAX_SAMPLES, type SpeedRecord, STOP } from './processor-speed.ts';

const SAMPLE_EVERY_MS = 2;
/** A few microseconds each: of several in a row the shortest was not interrupted. */
const STEPS = 5_000;
const PIECES = 3;
const WARM_UPS = 2_000;
/** Reading it is more work than all pieces of a sample. */
const READ_STOLEN_EVERY = 10;
/** In the first line of /proc/stat, behind the name: user, nice, system, idle, iowait, irq, softirq, steal. */
const STOLEN_FIELD = 8;
const [SPACE, ZERO, NINE] = [0x20, 0x30, 0x39];
const HIGHEST_PRIORITY = -20;

const { control, atMs, pieceMs, stolen } = workerData as SpeedRecord;
const statistics = process.platform === 'linux' ? openSync('/proc/stat', 'r') : undefined;
const line = Buffer.alloc(256);
try {
  // Of this thread. Others' work is not what is measured here, so that it should not have to wait for them.
  if (process.platform === 'linux') setPriority(HIGHEST_PRIORITY);
} catch {
  // Only root may; samples then come less evenly.
}
for (let n = 0; n < WARM_UPS; n += 1) calculate(STEPS);

for (let n = 0; n < MAX_SAMPLES && Atomics.wait(control, STOP, 0, SAMPLE_EVERY_MS) === 'timed-out'; n += 1) {
  let shortestMs = Number.POSITIVE_INFINITY;
  for (let piece = 0; piece < PIECES; piece += 1) {
    const startMs = performance.now();
    calculate(STEPS);
    shortestMs = Math.min(shortestMs, performance.now() - startMs);
  }
  atMs[n] = performance.timeOrigin + performance.now();
  pieceMs[n] = shortestMs;
  stolen[n] = n % READ_STOLEN_EVERY === 0 ? readStolen() : (stolen[n - 1] ?? 0);
  Atomics.store(control, COUNT, n + 1);
}

/** Read byte by byte, because a text would take memory. */
function readStolen(): number {
  if (statistics === undefined) return 0;
  const length = readSync(statistics, line, 0, line.length, 0);
  let ticks = 0;
  for (let i = 0, field = 0; i < length && field <= STOLEN_FIELD; i += 1) {
    const byte = line[i] ?? 0;
    // Two spaces stand behind the name.
    if (byte === SPACE && line[i - 1] !== SPACE) field += 1;
    if (field === STOLEN_FIELD && byte >= ZERO && byte <= NINE) ticks = ticks * 10 + (byte - ZERO);
  }
  return ticks;
}
