import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { DataLag } from '../domain/published-ranks.ts';

export interface RequestMeasure {
  readonly method: string;
  /** The route's pattern, never the path itself: labels must stay few. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Work in the background that was given up after its last attempt. */
export type SetAsideWork = 'delivery' | 'publication';

export interface Metrics {
  observeRequest(measure: RequestMeasure): void;
  countSetAside(work: SetAsideWork): void;
  /** Rejections and exceptions that nobody handled. */
  countFault(fault: string): void;
  /** From now on also says how far the data that is served is behind what is published. */
  watchData(findLag: () => DataLag): void;
  readonly contentType: string;
  present(): Promise<string>;
}

const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'keyrank_' });
  const requests = new Counter({
    name: 'keyrank_http_requests_total',
    help: 'Answered requests.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'keyrank_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  const setAside = new Counter({
    name: 'keyrank_set_aside_total',
    help: 'Deliveries and publications that were given up without an outcome.',
    labelNames: ['work'],
    registers: [registry],
  });
  for (const work of ['delivery', 'publication'] as const) setAside.inc({ work }, 0);
  const faults = new Counter({
    name: 'keyrank_process_faults_total',
    help: 'Rejections and exceptions that nobody handled: defects.',
    labelNames: ['fault'],
    registers: [registry],
  });
  for (const fault of ['unhandled_rejection', 'uncaught_exception']) faults.inc({ fault }, 0);
  return {
    countSetAside: (work) => setAside.inc({ work }),
    countFault: (fault) => faults.inc({ fault }),
    observeRequest: ({ method, route, status, durationMs }) => {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, durationMs / 1000);
    },
    watchData: (findLag) => addDataGauges(registry, findLag),
    contentType: registry.contentType,
    present: () => registry.metrics(),
  };
}

const DATA_GAUGES = [
  ['keyrank_data_version_served', 'Version of the data that is served.', 'servedVersion'],
  ['keyrank_data_version_published', 'Newest version that this server knows of.', 'wantedVersion'],
  ['keyrank_data_behind_seconds', 'Since a newer version than the served one is known.', 'behindSeconds'],
  ['keyrank_data_load_failures', 'Failed attempts in a row to load the newest version.', 'failures'],
] as const;

function addDataGauges(registry: Registry, findLag: () => DataLag): void {
  for (const [name, help, field] of DATA_GAUGES) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(findLag()[field]);
      },
    });
  }
}
