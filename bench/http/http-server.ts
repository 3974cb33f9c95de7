// The service under load, in a process of its own: the one that sends the requests must not be measured with it.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startService } from '../../src/boot.ts';
import { readConfig } from '../../src/config.ts';
import { probeAdmission } from './admission-probe.ts';

export type ServerCommand = 'start-watch' | 'end-watch' | 'stop';

export type ServerReport =
  | { readonly kind: 'listening'; readonly url: string; readonly readyMs: number }
  | { readonly kind: 'watching' }
  | { readonly kind: 'watched'; readonly delay: EventLoopDelay };

export interface EventLoopDelay {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const RESOLUTION_MS = 1;
const NANOSECONDS_PER_MS = 1e6;

const startMs = performance.now();
const service = await startService(readConfig(process.env), { extraEndpoints: [probeAdmission] });
let histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

process.on('message', (command: ServerCommand) => {
  if (command === 'start-watch') {
    histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    histogram.enable();
    report({ kind: 'watching' });
  } else if (command === 'end-watch') {
    histogram.disable();
    report({ kind: 'watched', delay: readDelay() });
  } else void stop();
});
report({ kind: 'listening', url: service.url, readyMs: performance.now() - startMs });

/** Node counts from one sample to the next, so that an idle loop shows the resolution. */
function readDelay(): EventLoopDelay {
  const delayMs = (nanoseconds: number): number => Math.max(0, nanoseconds / NANOSECONDS_PER_MS - RESOLUTION_MS);
  return {
    p50Ms: delayMs(histogram.percentile(50)),
    p99Ms: delayMs(histogram.percentile(99)),
    maxMs: delayMs(histogram.max),
  };
}

function report(message: ServerReport): void {
  process.send?.(message);
}

async function stop(): Promise<void> {
  await service[Symbol.asyncDispose]();
  process.disconnect();
}
