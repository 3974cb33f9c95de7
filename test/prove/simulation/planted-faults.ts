// Faults as they happen to services of this kind, planted at the seams of the code under simulation: a simulation that does not
// find them proves nothing.
import type { PublicationQueue } from '../../../src/domain/publication.ts';
import type { DeliveryQueue } from '../../../src/domain/webhook.ts';
import { ModelSession } from './model-pool.ts';
import type { StatementResult } from './model-statements.ts';
import type { World } from './world.ts';

type Run = (sql: string, values: readonly unknown[]) => Promise<StatementResult>;

export interface PlantedFault {
  readonly name: string;
  /** How a statement is carried out. */
  readonly statement?: (call: {
    readonly sql: string;
    readonly values: readonly unknown[];
    readonly run: Run;
    readonly world: World;
  }) => Promise<StatementResult>;
  readonly deliveries?: (queue: DeliveryQueue) => DeliveryQueue;
  readonly publications?: (queue: PublicationQueue) => PublicationQueue;
  /** What is not forced to disk, although it is said to be. */
  readonly unsynced?: 'file' | 'directory';
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  { name: 'files are not forced to disk', unsynced: 'file' },
  { name: 'names are not forced to disk', unsynced: 'directory' },
  {
    name: 'the import lock lets two in',
    statement: async ({ sql, values, run }) => {
      const result = await run(sql, values);
      return sql.includes('pg_try_advisory_lock') ? { ...result, rows: [{ locked: true }] } : result;
    },
  },
  {
    name: 'the sweep takes a published file for left over',
    statement: async ({ sql, values, run }) => {
      const result = await run(sql, values);
      if (!sql.includes('FROM rank_statistics')) return result;
      const [row] = result.rows as readonly { readonly snapshots: readonly object[] }[];
      return { ...result, rows: [{ ...row, snapshots: row?.snapshots.slice(0, -1) }] };
    },
  },
  {
    name: 'a period is committed before its snapshot',
    statement: async ({ sql, values, run }) => {
      const result = await run(sql, values);
      if (sql.includes('INSERT INTO rank_periods')) {
        await run('COMMIT', []);
        await run('BEGIN', []);
      }
      return result;
    },
  },
  {
    name: 'a lease is shorter than an attempt',
    statement: ({ sql, values, run }) => {
      const isClaim = sql.includes('WITH due AS MATERIALIZED');
      return run(sql, isClaim ? [...values.slice(0, 2), 2_000, ...values.slice(3, 6), [], ...values.slice(7)] : values);
    },
  },
  {
    name: 'a message that ends its server is claimed for ever',
    statement: ({ sql, values, run }) => {
      const isClaim = sql.includes('WITH due AS MATERIALIZED');
      return run(sql, isClaim ? [...values.slice(0, 3), Number.POSITIVE_INFINITY, ...values.slice(4)] : values);
    },
  },
  {
    name: 'hits are written outside of their transaction',
    statement: ({ sql, values, run, world }) =>
      sql.includes('INSERT INTO priority_hits')
        ? new ModelSession(world.database).execute(sql, values)
        : run(sql, values),
  },
  {
    name: 'the same event is queued twice',
    statement: ({ sql, values, run, world }) =>
      sql.includes('$1, $2, $3 FROM webhooks')
        ? run(sql, [values[0], `${String(values[1])} ${world.database.nextId()}`, ...values.slice(2)])
        : run(sql, values),
  },
  {
    name: 'a message has another id at every attempt',
    deliveries: ({ claim, settle }) => ({
      claim: async (options) =>
        (await claim(options)).map((each) => ({ ...each, deliveryId: `${each.deliveryId}/${each.attempt}` })),
      settle: (attempt, result) => settle({ ...attempt, deliveryId: attempt.deliveryId.split('/')[0] ?? '' }, result),
    }),
  },
  {
    name: 'a publication is forgotten when telling of it fails',
    publications: ({ takeNext }) => ({
      takeNext: (manifestVersion, work) =>
        takeNext(manifestVersion, (publication) => work(publication).catch(() => true)),
    }),
  },
  {
    name: 'a publication is told before its data is loaded',
    publications: ({ takeNext }) => ({
      takeNext: (_manifestVersion, work) => takeNext(Number.MAX_SAFE_INTEGER, work),
    }),
  },
];
