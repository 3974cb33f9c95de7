// A tracked product on the wire, with where it stands in the published data; and the fields that a caller writes.
import { type Static, Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import { type Period, periodKey } from '../../domain/period.ts';
import { visibleWindow } from '../../domain/plan.ts';
import { MAX_PRODUCT_ID_CHARACTERS, parseProductId } from '../../domain/product-id.ts';
import { MAX_NOTES_CHARACTERS } from '../../domain/tracked-item.ts';
import {
  MAX_ACTIVE_PRODUCTS,
  type NewTrackedProduct,
  NO_CHANGES,
  type ProductChanges,
  planProductChanges,
  type TrackedProduct,
} from '../../domain/tracked-product.ts';
import { parseVisiblePeriod } from '../../domain/visible-period.ts';
import {
  type Body,
  type Field,
  listField,
  MAX_BODY_BYTES,
  objectSchema,
  parseObject,
  parseText,
  textField,
} from '../body.ts';
import type { RequestContext } from '../endpoint.ts';
import type { Parameters } from '../parameters.ts';
import { nullable, strictObject } from '../schemas.ts';
import { trackedSet } from './tracked-keyword.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** How a product stands in a month against the one before. */
export const ProductSnapshotSchema = strictObject({
  period: Type.String({ description: 'The month that is shown; empty while none is visible.' }),
  title: Type.String({ description: 'The newest known of the visible months; empty when none is.' }),
  keywords: count('In whose top three it stands in the month.'),
  previous_keywords: nullable(Type.Integer({ minimum: 0 }), 'In the visible month before; null without one.'),
  entered: count('Keywords into whose top three it came since the month before.'),
  left: count('Keywords whose top three it left.'),
  place: count('Keywords for which it stands at another place.'),
});

export const TrackedProductSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  notes: Type.String(),
  is_active: Type.Boolean({ description: 'False while paused: not in digests, no messages.' }),
  asin: Type.String({ description: 'In upper case.' }),
  snapshot: ProductSnapshotSchema,
});

export const asinField: Field<string> = {
  schema: Type.String({
    description: 'The ASIN to track, or an item id of another shop. It need not be in the data yet.',
    pattern: `^\\s*[A-Za-z0-9]{1,${MAX_PRODUCT_ID_CHARACTERS}}\\s*$`,
  }),
  isRequired: true,
  absent: '',
  parse: (name, value) => {
    const parsed = parseProductId(parseText(name, value, MAX_PRODUCT_ID_CHARACTERS));
    if (parsed !== undefined) return parsed;
    const fault = `Field '${name}' must be 1 to ${MAX_PRODUCT_ID_CHARACTERS} letters and digits.`;
    throw new RequestError('INVALID_PARAMETERS', fault, 'Use for example "asin": "B0CHX1W1XY".');
  },
};

const newProductFields = {
  asin: asinField,
  notes: textField('Anything worth remembering.', { maxCharacters: MAX_NOTES_CHARACTERS, absent: '' }),
};
const newProduct = {
  schema: objectSchema(newProductFields),
  parse: (path: string, value: unknown): NewTrackedProduct => parseObject(newProductFields, value, path),
};
const manyFields = {
  products: listField(newProduct, { description: 'Products to track.', maxItems: MAX_ACTIVE_PRODUCTS }),
};

export interface ProductTrackingBody {
  readonly products: readonly NewTrackedProduct[];
  /** Whether the body is one product, not a list. */
  readonly isSingle: boolean;
}

export const productTrackingBody: Body<ProductTrackingBody> = {
  schema: { anyOf: [newProduct.schema, objectSchema(manyFields)] } as Body<ProductTrackingBody>['schema'],
  examples: {
    one: { asin: 'B0DDBYMN4X', notes: 'our best seller' },
    many: { products: [{ asin: 'B0DDBYMN4X' }, { asin: 'B0CHX1W1XY', notes: 'a competitor' }] },
  },
  maxBytes: MAX_BODY_BYTES,
  parse: (value) => {
    const isMany = typeof value === 'object' && value !== null && Object.hasOwn(value, 'products');
    return isMany
      ? { products: parseObject(manyFields, value).products, isSingle: false }
      : { products: [newProduct.parse('', value)], isSingle: true };
  },
};

export interface ProductSnapshots {
  readonly period: Period | undefined;
  readonly byAsin: ReadonlyMap<string, ProductChanges>;
}

/** How products stand in the month, or the newest visible one, against the month before. */
export async function readProductSnapshots<P extends Parameters, B>(
  { plan, time, signal, caller, resources }: RequestContext<P, B>,
  { asins, period: key }: { readonly asins: readonly string[]; readonly period: string | undefined },
): Promise<ProductSnapshots> {
  using view = resources.ranks.openView(trackedSet(resources), caller.organizationId);
  const context = { plan, frequency: 'monthly', published: view?.periods ?? [] } as const;
  const window = visibleWindow(context);
  const named = { parameter: 'period', frequency: 'monthly', window, otherwise: 'leave the parameter out' } as const;
  const period = key === undefined ? undefined : parseVisiblePeriod(key, named);
  const changePlan = planProductChanges({ asins, period, limit: 0 }, context);
  const changes =
    view && asins.length > 0
      ? await time('products', () => view.listProductChanges(changePlan, { signal }))
      : asins.map(() => NO_CHANGES);
  return { period: changePlan.period, byAsin: new Map(asins.map((each, i) => [each, changes[i] ?? NO_CHANGES])) };
}

export function presentTrackedProduct(
  product: TrackedProduct,
  snapshots: ProductSnapshots,
): Static<typeof TrackedProductSchema> {
  return {
    id: product.id,
    created_at: product.createdAt.toISOString(),
    updated_at: product.updatedAt.toISOString(),
    notes: product.notes,
    is_active: product.isActive,
    asin: product.asin,
    snapshot: presentProductSnapshot(product.asin, snapshots),
  };
}

export function presentProductSnapshot(
  asin: string,
  { period, byAsin }: ProductSnapshots,
): Static<typeof ProductSnapshotSchema> {
  const { title, keywords, previousKeywords, counts } = byAsin.get(asin) ?? NO_CHANGES;
  return { period: period ? periodKey(period) : '', title, keywords, previous_keywords: previousKeywords, ...counts };
}
