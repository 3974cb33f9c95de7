// What holds keywords: a product or a brand. Their views differ in little.
import type { ApiPath } from '../api/client.ts';
import { pathOf, type Request } from '../api/request.ts';
import type { Frequency } from '../api/wire.ts';
import { marketplaceParams, place } from '../app/location.ts';

export type Holder =
  | { readonly kind: 'product'; readonly asin: string }
  | { readonly kind: 'brand'; readonly name: string };

export function readType(): Frequency {
  return place.value.params.get('type') === 'weekly' ? 'weekly' : 'monthly';
}

/** What the holder is by itself, or one of the lists and files under it. */
export function requestFor(
  holder: Holder,
  what: '' | '/keywords',
  params: URLSearchParams,
): Request & { readonly params: URLSearchParams } {
  return holder.kind === 'product'
    ? { path: `/v1/products/{asin}${what}`, segments: { asin: holder.asin }, params }
    : { path: `/v1/brands/{name}${what}`, segments: { name: holder.name }, params };
}

export function overviewPath(holder: Holder, type: Frequency): ApiPath {
  return pathOf(requestFor(holder, '', new URLSearchParams({ type, ...marketplaceParams() })));
}

export function keyOf(holder: Holder): string {
  return holder.kind === 'product' ? holder.asin : holder.name;
}

/** The parameters of a list that stand in the address, under the API's own names. */
export function listParams(names: readonly string[], type: Frequency): URLSearchParams {
  const params = new URLSearchParams({ type, ...marketplaceParams() });
  for (const name of [...names, 'period', 'query', 'order_direction', 'page', 'limit']) {
    const value = place.value.params.get(name);
    if (value) params.set(name, value);
  }
  if (!params.has('limit')) params.set('limit', '100');
  return params;
}
