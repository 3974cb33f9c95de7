import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Listener } from '../postgres/listener.ts';
import type { Pool } from '../postgres/pool.ts';
import type { ResourceStack } from '../resource-stack.ts';

/** What the parts of the service are made with while it starts. */
export interface StartingService {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** For requests. */
  readonly pool: Pool;
  /** For work that no request waits for. */
  readonly jobPool: Pool;
  readonly listener: Listener;
  /** Takes what is opened, to close it in the opposite order. */
  readonly opened: ResourceStack;
  readonly onError: (error: unknown) => void;
}
