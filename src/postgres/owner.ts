import { type DatabaseServer, withConnection } from './connection.ts';
import type { Queryable } from './pool.ts';

/** Runs work in one transaction of the schema's owner, who may do what no working role may. It takes as long as it takes. */
export async function asOwner<T>(
  server: DatabaseServer,
  begin: string,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  const config = { ...server.connection('keyrank_owner'), application_name: 'keyrank backup' };
  return await withConnection(
    config,
    (error) => error,
    async (client) => {
      await client.query(begin);
      const result = await work(client);
      // What was not committed is undone with the connection.
      await client.query('COMMIT');
      return result;
    },
  );
}
