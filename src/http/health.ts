import type { FastifyInstance } from 'fastify';
import { NotReadyError, RequestError } from '../domain/error.ts';
import type { DataLag } from '../domain/published-ranks.ts';
import { sendFailure } from './failure-reply.ts';

export interface HealthOptions {
  /** Rejects while something that requests need cannot be reached. */
  readonly checkReady: () => Promise<void>;
  readonly isDraining: () => boolean;
  readonly findLag: () => DataLag;
  readonly holdsMarketplace: (marketplace: string) => boolean;
}

/** So long a server may take to load what was published; beyond it, others should get the requests. */
const MAX_BEHIND_SECONDS = 60;

/** Liveness and readiness, on the API's port and on the admin port alike. */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  const { checkReady, isDraining, findLag } = options;
  app.get('/healthz', async () => ({ data: { status: 'ok' }, error: null }));
  app.get('/readyz', async (request, reply) => {
    const fault = isDraining()
      ? 'The service is stopping.'
      : (findMissing(request.raw.url ?? '', options) ??
        findLagFault(findLag()) ??
        (await checkReady().then(() => undefined, notReady)));
    if (fault === undefined) return { data: { status: 'ready', ...presentLag(findLag()) }, error: null };
    reply.header('retry-after', '1');
    return sendFailure(reply, new RequestError('SERVICE_UNAVAILABLE', fault));
  });
}

/** A proxy asks a server of a marketplace whether it is ready for that one. */
function findMissing(url: string, { holdsMarketplace }: HealthOptions): string | undefined {
  const asked = new URL(url, 'http://health').searchParams.getAll('marketplace');
  return asked.every(holdsMarketplace) ? undefined : 'This server does not hold the ranks of that marketplace.';
}

function notReady(error: unknown): string {
  return error instanceof NotReadyError ? error.message : 'The database cannot be reached.';
}

function findLagFault({ behindSeconds, servedVersion, wantedVersion, failures, fault }: DataLag): string | undefined {
  if (behindSeconds <= MAX_BEHIND_SECONDS) return undefined;
  const attempts = failures === 0 ? 'It is still being loaded' : `Loading it failed ${failures} times (${fault})`;
  return `Version ${wantedVersion} of the data was published ${Math.round(behindSeconds)} s ago, and version ${servedVersion} is served. ${attempts}.`;
}

function presentLag({ servedVersion, wantedVersion, behindSeconds, fault }: DataLag) {
  return {
    data_version: servedVersion,
    newest_data_version: wantedVersion,
    behind_seconds: Math.round(behindSeconds),
    last_error: fault,
  };
}
