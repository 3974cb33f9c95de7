import type { Queryable } from './pool.ts';

/**
 * After the database's clock was ahead, work dated by it would lie still until that date comes. Requests mend what they meet (the
 * rate log, places of exports); this does the rest. Says that there is no more to do.
 */
export async function mendFutureDates(operator: Queryable): Promise<false> {
  await operator.query('SELECT mend_future_dates()');
  return false;
}
