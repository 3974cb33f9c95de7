// Values that show what a parameter looks like, where its schema has neither an example nor a default. They find something
// in the demo data.
export const PARAMETER_EXAMPLES: Readonly<Record<string, unknown>> = {
  query: ['boots'],
  exclude_query: ['kids'],
  brand: ['Hollowbrook'],
  product: ['B0DDBYMN4X'],
  category: ['Apparel, Shoes & Jewelry'],
  order_by: 'latest_rank',
  order_direction: 'asc',
  color_threshold: 5,
  min_rank: 1,
  max_rank: 10_000,
  min_words: 2,
  max_words: 5,
  limit: 100,
  direction: 'positive',
  file_format: 'xlsx',
  type: 'monthly',
  id: '5f0c7c1e-6d5b-4a55-9d5e-0f6a3f1f8a11',
  'Idempotency-Key': 'watchlist-2026-11',
};
