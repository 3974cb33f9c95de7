import Fastify, { type FastifyInstance } from 'fastify';
import { type HealthOptions, registerHealth } from './health.ts';
import { STANDARD_HEADERS } from './malformed-http.ts';
import type { Metrics } from './metrics.ts';

/** The listener for the operator's own machines: metrics and health, no data and no keys. */
export function buildAdmin(options: HealthOptions & { readonly metrics: Metrics }): FastifyInstance {
  const admin = Fastify({ logger: false, forceCloseConnections: true });
  admin.addHook('onRequest', async (_request, reply) => {
    reply.headers(STANDARD_HEADERS);
  });
  admin.get('/metrics', async (_request, reply) =>
    reply.type(options.metrics.contentType).send(await options.metrics.present()),
  );
  registerHealth(admin, options);
  return admin;
}
