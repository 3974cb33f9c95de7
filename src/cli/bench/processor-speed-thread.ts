// Takes no memory while it runs, and never returns to the event loop before its end: garbage collections of this thread would
// disturb what is measured.
import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { calculate } from './arithmetic.ts';
import { COUNT, MAX_SAMPLES, type SpeedRecord, STOP } from './processor-speed.ts';

const SAMPLE_EVERY_MS = 2;
/** A few microseconds each: of several in a row the shortest was not interrupted. */
const STEPS = 5_000;
const PIECES = 3;
const WARM_UPS = 2_000;
const HIGHEST_PRIORITY = -20;

const { control, atMs, pieceMs } = workerData as SpeedRecord;
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
  Atomics.store(control, COUNT, n + 1);
}
