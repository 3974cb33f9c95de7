// Values that show what a parameter looks like, where its schema has neither an example nor a default. They find something
// in the demo data.
export const PARAMETER_EXAMPLES: Readonly<Record<string, unknown>> = {
  query: ['boots'],
  exclude_query: ['kids'],
  order_by: 'latest_rank',
  order_direction: 'asc',
  color_threshold: 5,
  limit: 100,
  tag: 'summer',
  file_format: 'xlsx',
  type: 'monthly',
  id: '5f0c7c1e-6d5b-4a55-9d5e-0f6a3f1f8a11',
  'Idempotency-Key': 'watchlist-2026-11',
};
