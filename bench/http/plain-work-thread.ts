import { parentPort } from 'node:worker_threads';
import { calculate } from './arithmetic.ts';

parentPort?.on('message', (steps: number) => parentPort?.postMessage(calculate(steps)));
