import pg from 'pg';
import type { DatabaseServer } from './connection.ts';
import type { Queryable } from './pool.ts';

/** Runs work in one transaction of the schema's owner, who may do what no working role may. It takes as long as it takes. */
export async function asOwner<T>(
  server: DatabaseServer,
  begin: string,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...server.connection('keyrank_owner'), application_name: 'keyrank backup' });
  // A connection that breaks also fails the query under way, which is where it is reported.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    // What was not committed is undone with the connection.
    await client.end();
  }
}
