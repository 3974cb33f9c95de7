import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { calculate } from './arithmetic.ts';
import type { SpeedSample } from './processor-speed.ts';

const SAMPLE_EVERY_MS = 2;
/** A few microseconds each: of several in a row the shortest was not interrupted. */
const STEPS = 5_000;
const PIECES = 3;
const WARM_UPS = 2_000;
const HIGHEST_PRIORITY = -20;

try {
  // Of this thread. Others' work is not what is measured here, so that it should not have to wait for them.
  if (process.platform === 'linux') setPriority(HIGHEST_PRIORITY);
} catch {
  // Only root may; samples then come less evenly.
}
for (let n = 0; n < WARM_UPS; n += 1) calculate(STEPS);

const samples: SpeedSample[] = [];
const timer = setInterval(() => {
  let pieceMs = Number.POSITIVE_INFINITY;
  for (let n = 0; n < PIECES; n += 1) {
    const startMs = performance.now();
    calculate(STEPS);
    pieceMs = Math.min(pieceMs, performance.now() - startMs);
  }
  samples.push({ atMs: performance.timeOrigin + performance.now(), pieceMs });
}, SAMPLE_EVERY_MS);
parentPort?.postMessage('ready');
parentPort?.once('message', () => {
  clearInterval(timer);
  parentPort?.postMessage(samples);
});
