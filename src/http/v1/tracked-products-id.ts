import { MAX_NOTES_CHARACTERS } from '../../domain/tracked-item.ts';
import type { TrackedProduct } from '../../domain/tracked-product.ts';
import { changesBody, flagField, textField } from '../body.ts';
import { type Answer, defineEndpoint, type RequestContext } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import type { Parameters } from '../parameters.ts';
import { answerJson, deletionSuccess, jsonSuccess } from '../schemas.ts';
import { snapshotPeriod } from './tracked-keyword.ts';
import { presentTrackedProduct, readProductSnapshots, TrackedProductSchema } from './tracked-product.ts';

const ITEM = 'tracked product';
const success = jsonSuccess({ data: TrackedProductSchema });

export const getTrackedProduct = defineEndpoint({
  method: 'GET',
  path: '/v1/tracked-products/{id}',
  operationId: 'getTrackedProduct',
  summary: 'Read a tracked product',
  description: "One of the caller's own tracked products in this organization, as in the list.",
  tag: 'Tracked products',
  scope: 'tracked:read',
  item: ITEM,
  parameters: { period: snapshotPeriod },
  success,
  handle: async (context) => {
    const { caller, id, parameters, resources } = context;
    const product = await resources.trackedProducts.find(caller, id);
    return await answerProduct(context, { product, period: parameters.period });
  },
});

export const changeTrackedProduct = defineEndpoint({
  method: 'PATCH',
  path: '/v1/tracked-products/{id}',
  operationId: 'changeTrackedProduct',
  summary: 'Change a tracked product',
  description:
    'Changes the fields that are given and leaves the others as they are. `is_active: false` pauses the product, ' +
    '`is_active: true` resumes it.',
  tag: 'Tracked products',
  scope: 'tracked:write',
  item: ITEM,
  parameters: {},
  body: changesBody(
    {
      notes: textField('Replaces the notes.', { maxCharacters: MAX_NOTES_CHARACTERS, absent: undefined }),
      is_active: flagField('Pauses or resumes.'),
    },
    { pause: { is_active: false } },
  ),
  codes: ['CONFLICT'],
  success,
  handle: async (context) => {
    const { caller, id, body, resources } = context;
    const change = { notes: body.notes, isActive: body.is_active };
    const product = await resources.trackedProducts.change(caller, id, change);
    return await answerProduct(context, { product, period: undefined });
  },
});

export const deleteTrackedProduct = defineEndpoint({
  method: 'DELETE',
  path: '/v1/tracked-products/{id}',
  operationId: 'deleteTrackedProduct',
  summary: 'Stop tracking a product',
  description: "Removes one of the caller's own tracked products. Digests that mention it stay.",
  tag: 'Tracked products',
  scope: 'tracked:write',
  item: ITEM,
  parameters: {},
  success: deletionSuccess,
  handle: async ({ caller, id, resources }) => {
    if (!(await resources.trackedProducts.delete(caller, id))) throw noSuchItem(ITEM);
    return answerJson({ data: { id } });
  },
});

async function answerProduct<P extends Parameters, B>(
  context: RequestContext<P, B>,
  { product, period }: { readonly product: TrackedProduct | undefined; readonly period: string | undefined },
): Promise<Answer> {
  const snapshots = await readProductSnapshots(context, { asins: product ? [product.asin] : [], period });
  if (!product) throw noSuchItem(ITEM);
  return answerJson({ data: presentTrackedProduct(product, snapshots) });
}
