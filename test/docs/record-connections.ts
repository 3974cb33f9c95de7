// The life of a connection: added, listed, tested, disabled, given other secrets, tried again, removed.
import type { TestService } from '../support/service.ts';
import type { AskOptions } from './recording.ts';

export const NEW_CONNECTION = {
  ...{ name: 'acme-na', region: 'na', marketplaces: ['US', 'CA'], client_id: 'amzn1.application-oa2-client.EXAMPLE' },
  ...{ client_secret: 'EXAMPLE', refresh_token: 'EXAMPLE' },
};

type Record = (name: `${string}.${string}`, target: string, options?: AskOptions) => Promise<{ data: { id: string } }>;

export async function recordConnections({ database }: TestService, record: Record): Promise<void> {
  const post = { method: 'POST' } as const;
  const { data: made } = await record('createConnection.added', '/v1/connections', { ...post, body: NEW_CONNECTION });
  const one = `/v1/connections/${made.id}`;
  await record('testConnection.works', `${one}/test`, post);
  const { client_secret, refresh_token } = NEW_CONNECTION;
  await record('rotateConnection.sameAccount', `${one}/rotate`, { ...post, body: { client_secret, refresh_token } });
  const change = (is_enabled: boolean) => ({ method: 'PATCH', body: { is_enabled } });
  await record('changeConnection.off', one, change(false));
  // Whatever servers planned until then.
  await database.operator.query('DELETE FROM downloads');
  await database.operator.query(
    `INSERT INTO downloads (connection_id, marketplace, frequency, year, number, end_date, state, wanted_since, imported_at, revision,
       message)
     VALUES ($1, 'US', 'weekly', 2026, 45, '2026-11-07', 'failed', now(), NULL, NULL,
         'Amazon could not make it 5 times: it may have no data of this period for this account.'),
       ($1, 'US', 'weekly', 2026, 44, '2026-10-31', 'imported', now(), now(), 1, 'imported as revision 1')`,
    [made.id],
  );
  await record('listConnections.one', '/v1/connections');
  await record('listConnectionDownloads.two', `${one}/downloads`);
  const week = { marketplace: 'US', type: 'weekly', period: '45-2026' };
  await record('retryConnection.oneWeek', `${one}/retry`, { ...post, body: week });
  await record('deleteConnection.one', one, { method: 'DELETE' });
}
