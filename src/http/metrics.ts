import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface RequestMeasure {
  readonly method: string;
  /** The route's pattern, never the path itself: labels must stay few. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

export interface Metrics {
  observeRequest(measure: RequestMeasure): void;
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
  return {
    observeRequest: ({ method, route, status, durationMs }) => {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, durationMs / 1000);
    },
    contentType: registry.contentType,
    present: () => registry.metrics(),
  };
}
