import type { FastifyInstance } from 'fastify';
import { RequestError } from '../domain/error.ts';
import { sendFailure } from './failure-reply.ts';

export interface HealthOptions {
  /** Rejects while something that requests need cannot be reached. */
  readonly checkReady: () => Promise<void>;
  readonly isDraining: () => boolean;
}

/** Liveness and readiness, on the API's port and on the admin port alike. */
export function registerHealth(app: FastifyInstance, { checkReady, isDraining }: HealthOptions): void {
  app.get('/healthz', async () => ({ data: { status: 'ok' }, error: null }));
  app.get('/readyz', async (_request, reply) => {
    const fault = isDraining() ? 'The service is stopping.' : await checkReady().then(() => undefined, notReady);
    if (fault === undefined) return { data: { status: 'ready' }, error: null };
    reply.header('retry-after', '1');
    return sendFailure(reply, new RequestError('SERVICE_UNAVAILABLE', fault));
  });
}

function notReady(): string {
  return 'The database cannot be reached.';
}
