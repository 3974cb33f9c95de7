import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { contain } from '../domain/containment.ts';
import { listMarketplaces } from '../domain/published-ranks.ts';
import type { Resources } from './resources.ts';

export interface RequestMeasure {
  readonly method: string;
  /** The route's pattern, never the path itself: labels must stay few. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

type ServedData = Pick<Resources, 'findLag' | 'ranks' | 'holdsMarketplace'>;

/** Work in the background that was given up after its last attempt. */
export type SetAsideWork = 'delivery' | 'publication';

export interface Metrics {
  observeRequest(measure: RequestMeasure): void;
  countSetAside(work: SetAsideWork): void;
  /** Rejections and exceptions that nobody handled. */
  countFault(fault: string): void;
  /** From now on also says which data is served, and how far it is behind what is published. */
  watchData(data: ServedData): void;
  /** What became of an attempt to send a message, by how it is sent. */
  countMessage(kind: string, outcome: string): void;
  /** From now on also says how many open pages listen. */
  watchStreams(count: () => number): void;
  countDownloadFault(fault: string): void;
  /** From now on also says how downloads from Amazon are. Asked at every look; a failure leaves the last figures. */
  watchDownloads(count: () => Promise<DownloadFigures>): void;
  readonly contentType: string;
  present(): Promise<string>;
}

interface DownloadFigures {
  readonly byState: Readonly<Record<string, number>>;
  readonly heldConnections: number;
  readonly latePeriods: number;
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
  const downloadFaults = new Counter({
    name: 'keyrank_download_faults_total',
    help: 'Steps of downloads from Amazon that failed, by what went wrong.',
    labelNames: ['fault'],
    registers: [registry],
  });
  const messages = new Counter({
    name: 'keyrank_messages_total',
    help: 'Attempts to send messages to webhooks, mailboxes and chats, by what became of them.',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  });
  return {
    countMessage: (kind, outcome) => messages.inc({ kind, outcome }),
    watchStreams: (count) => addStreamGauge(registry, count),
    countDownloadFault: (fault) => downloadFaults.inc({ fault }),
    watchDownloads: (count) => addDownloadGauges(registry, count),
    countSetAside: (work) => setAside.inc({ work }),
    countFault: (fault) => faults.inc({ fault }),
    observeRequest: ({ method, route, status, durationMs }) => {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, durationMs / 1000);
    },
    watchData: (data) => addDataGauges(registry, data),
    contentType: registry.contentType,
    present: () => registry.metrics(),
  };
}

function addStreamGauge(registry: Registry, count: () => number): void {
  new Gauge({
    name: 'keyrank_event_streams',
    help: 'Open pages and programs that listen to events.',
    registers: [registry],
    collect() {
      this.set(count());
    },
  });
}

const DATA_GAUGES = [
  ['keyrank_data_version_served', 'Version of the data that is served.', 'servedVersion'],
  ['keyrank_data_version_published', 'Newest version that this server knows of.', 'wantedVersion'],
  ['keyrank_data_behind_seconds', 'Since a newer version than the served one is known.', 'behindSeconds'],
  ['keyrank_data_load_failures', 'Failed attempts in a row to load the newest version.', 'failures'],
] as const;

function addDataGauges(registry: Registry, { findLag, ranks, holdsMarketplace }: ServedData): void {
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
  new Gauge({
    name: 'keyrank_marketplace_held',
    help: 'Of the marketplaces with data: 1 where this server answers for it.',
    labelNames: ['marketplace'],
    registers: [registry],
    collect() {
      this.reset();
      for (const marketplace of listMarketplaces(ranks.catalog)) {
        this.set({ marketplace }, holdsMarketplace(marketplace) ? 1 : 0);
      }
    },
  });
}

function addDownloadGauges(registry: Registry, count: () => Promise<DownloadFigures>): void {
  const held = new Gauge({
    name: 'keyrank_connections_held',
    help: 'Connections that Amazon does not answer, or whose secrets cannot be opened.',
    registers: [registry],
  });
  const late = new Gauge({
    name: 'keyrank_periods_late',
    help: 'Series of which the next period is later than usual.',
    registers: [registry],
  });
  new Gauge({
    name: 'keyrank_downloads',
    help: 'Periods that are fetched from Amazon, by state.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      await contain(
        async () => {
          const { byState, heldConnections, latePeriods } = await count();
          for (const [state, downloads] of Object.entries(byState)) this.set({ state }, downloads);
          held.set(heldConnections);
          late.set(latePeriods);
        },
        () => {},
      );
    },
  });
}
