import type { Tenant } from '../domain/account.ts';
import type { TrackedItemChange } from '../domain/tracked-item.ts';
import {
  MAX_ACTIVE_PRODUCTS,
  MAX_TRACKED_PRODUCTS,
  type NewTrackedProduct,
  type TrackedProduct,
} from '../domain/tracked-product.ts';
import type { Queryable } from './pool.ts';
import type { ItemSelection, ItemTable } from './tracked-items.ts';

const COLUMNS = `id, asin, notes, is_active AS "isActive", created_at AS "createdAt", updated_at AS "updatedAt"`;

export const TRACKED_PRODUCTS: ItemTable<TrackedProduct, NewTrackedProduct, TrackedItemChange> = {
  name: 'tracked_products',
  noun: 'product',
  path: '/v1/tracked-products',
  maxActive: MAX_ACTIVE_PRODUCTS,
  maxTotal: MAX_TRACKED_PRODUCTS,
  identify: ({ asin }) => asin,
  select: selectProducts,
  insert: insertProducts,
  update: updateProduct,
  asAdded: (product, added) => ({ ...product, ...added }),
};

async function selectProducts(
  transaction: Queryable,
  tenant: Tenant,
  { id, sameAs, isActive }: ItemSelection<NewTrackedProduct> = {},
): Promise<readonly TrackedProduct[]> {
  const { rows } = await transaction.query<TrackedProduct>(
    `SELECT ${COLUMNS} FROM tracked_products WHERE organization_id = $1 AND user_id = $2
       AND ($3::uuid IS NULL OR id = $3) AND ($4::text[] IS NULL OR asin = ANY ($4))
       AND ($5::boolean IS NULL OR is_active = $5)
     ORDER BY position`,
    [tenant.organizationId, tenant.userId, id, sameAs?.map(({ asin }) => asin), isActive],
  );
  return rows;
}

async function insertProducts(
  transaction: Queryable,
  tenant: Tenant,
  products: readonly NewTrackedProduct[],
): Promise<readonly TrackedProduct[]> {
  const { rows } = await transaction.query<TrackedProduct>(
    `INSERT INTO tracked_products (organization_id, user_id, asin, notes)
     SELECT $1, $2, p.* FROM unnest($3::text[], $4::text[]) AS p
     ON CONFLICT (organization_id, user_id, asin) DO NOTHING RETURNING ${COLUMNS}`,
    [tenant.organizationId, tenant.userId, products.map(({ asin }) => asin), products.map(({ notes }) => notes)],
  );
  return rows;
}

async function updateProduct(
  transaction: Queryable,
  tenant: Tenant,
  { id, notes, isActive }: TrackedItemChange & { readonly id: string },
): Promise<void> {
  await transaction.query(
    `UPDATE tracked_products SET notes = coalesce($4, notes), is_active = coalesce($5, is_active), updated_at = now()
     WHERE organization_id = $1 AND user_id = $2 AND id = $3`,
    [tenant.organizationId, tenant.userId, id, notes, isActive],
  );
}
