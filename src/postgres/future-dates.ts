// After the database's clock was ahead, work dated by it would lie still until that date comes. Requests mend what they meet
// (the rate log, places of exports); this job does the rest.
import type { Pool } from './pool.ts';

const LOOK_EVERY_MS = 5 * 60_000;

export async function mendFutureDates(pool: Pool): Promise<void> {
  await pool.query('SELECT mend_future_dates()');
}

/** Looks now and then until it is disposed of. */
export function watchFutureDates(pool: Pool, onError: (error: unknown) => void): AsyncDisposable {
  let looking = mendFutureDates(pool).catch(onError);
  const timer = setInterval(() => {
    looking = mendFutureDates(pool).catch(onError);
  }, LOOK_EVERY_MS).unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
