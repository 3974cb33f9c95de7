import { randomUUID } from 'node:crypto';
import type { Endpoint } from '../../src/http/endpoint.ts';
import type { TestService } from './service.ts';

/** Required parameters, so that a request is valid. */
export const VALID_QUERY: Readonly<Record<string, string>> = {
  searchKeywords: '?query=shoes',
  exportKeywords: '?query=shoes',
  searchAsin: '?asin=B0CHX1W1XY',
  getSearchKeyword: '?term=shoes',
  listSuggestions: '?query=sho',
};

const BODIES: Readonly<Record<string, () => object>> = {
  createTrackedKeywords: () => ({ search_term: `term ${randomUUID()}` }),
  changeTrackedKeyword: () => ({ notes: 'changed' }),
  createWebhook: () => ({ url: 'https://hooks.example.com/' }),
};

export interface ValidRequest {
  /** Without the query string. */
  readonly path: string;
  readonly target: string;
  readonly method: string;
  readonly body?: string;
}

/** A request that the endpoint answers with a success; whatever item it names is made first, by the owner of the key. */
export async function makeValidRequest(
  service: TestService,
  { endpoint, key }: { readonly endpoint: Endpoint; readonly key: string },
): Promise<ValidRequest> {
  const { method, operationId } = endpoint;
  const path = endpoint.path.replace('{id}', await makeItem(service, { endpoint, key }));
  const body = BODIES[operationId]?.();
  const target = path + (VALID_QUERY[operationId] ?? '');
  return { path, target, method, ...(body && { body: JSON.stringify(body) }) };
}

async function makeItem(
  service: TestService,
  { endpoint, key }: { readonly endpoint: Endpoint; readonly key: string },
): Promise<string> {
  if (endpoint.item === undefined) return '';
  const operationId = endpoint.item === 'webhook' ? 'createWebhook' : 'createTrackedKeywords';
  const path = endpoint.item === 'webhook' ? '/v1/webhooks' : '/v1/tracked-keywords';
  const body = JSON.stringify(BODIES[operationId]?.());
  const { json } = await service.request(path, { method: 'POST', key, body });
  return json.data.id;
}
