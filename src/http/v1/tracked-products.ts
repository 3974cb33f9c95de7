import { Type } from 'typebox';
import { MAX_ACTIVE_PRODUCTS } from '../../domain/tracked-product.ts';
import { defineEndpoint, type RequestContext } from '../endpoint.ts';
import { answerJson, jsonSuccess } from '../schemas.ts';
import { snapshotPeriod } from './tracked-keyword.ts';
import {
  presentTrackedProduct,
  productTrackingBody,
  readProductSnapshots,
  TrackedProductSchema,
} from './tracked-product.ts';
import { presentTracking, trackingSuccess } from './tracking-answer.ts';

export const trackedProductParameters = { period: snapshotPeriod };

export const listTrackedProducts = defineEndpoint({
  method: 'GET',
  path: '/v1/tracked-products',
  operationId: 'listTrackedProducts',
  summary: 'List tracked products',
  description:
    'The products that the caller tracks in this organization, in the order in which they were added, paused ones ' +
    'included, each with how it stands in the chosen month against the one before. Costs no quota.',
  tag: 'Tracked products',
  scope: 'tracked:read',
  parameters: trackedProductParameters,
  success: jsonSuccess({ data: Type.Array(TrackedProductSchema) }),
  handle: async (context) => answerJson({ data: await listProducts(context) }),
});

export async function listProducts(
  context: RequestContext<typeof trackedProductParameters>,
): Promise<readonly ReturnType<typeof presentTrackedProduct>[]> {
  const { caller, parameters, resources } = context;
  const products = await resources.trackedProducts.list(caller);
  const asins = products.map(({ asin }) => asin);
  const snapshots = await readProductSnapshots(context, { asins, period: parameters.period });
  return products.map((product) => presentTrackedProduct(product, snapshots));
}

export const createTrackedProducts = defineEndpoint({
  method: 'POST',
  path: '/v1/tracked-products',
  operationId: 'createTrackedProducts',
  summary: 'Track products',
  description:
    `Tracks one product, or up to ${MAX_ACTIVE_PRODUCTS} at once with \`{"products": […]}\`. One that is tracked already is a ` +
    '409; among many it is left as it is, and `data` has one entry per product of the request, in its order. At most ' +
    `${MAX_ACTIVE_PRODUCTS} may be active per user and organization. All are added, or on a failure none.`,
  tag: 'Tracked products',
  scope: 'tracked:write',
  parameters: {},
  body: productTrackingBody,
  isIdempotent: true,
  codes: ['CONFLICT'],
  success: trackingSuccess(TrackedProductSchema),
  handle: async (context) => {
    const { caller, body, idempotency, resources } = context;
    const asins = body.products.map(({ asin }) => asin);
    const snapshots = await readProductSnapshots(context, { asins, period: undefined });
    const added = await resources.trackedProducts.add(caller, {
      items: body.products,
      idempotency,
      isNewOnly: body.isSingle,
    });
    return presentTracking(added, {
      isSingle: body.isSingle,
      present: (each) => presentTrackedProduct(each, snapshots),
    });
  },
});
