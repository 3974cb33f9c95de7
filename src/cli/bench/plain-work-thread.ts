import { parentPort } from 'node:worker_threads';

export const CALIBRATION_STEPS = 200_000;

/** Arithmetic of which each step needs the one before. */
export function calculate(steps: number): number {
  let value = 1;
  for (let n = 0; n < steps; n += 1) value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0;
  return value;
}

parentPort?.on('message', (steps: number) => parentPort?.postMessage(calculate(steps)));
