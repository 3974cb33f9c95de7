import type { TestDatabase } from '../support/database.ts';
import { makePeople, probePeople } from './people-probes.ts';
import type { Finding, Promised, Trial } from './promised.ts';
import { makeMembers, type ProbeResult, probeTenants } from './tenant-probes.ts';
import { openWorld } from './world.ts';

const PRELOAD = new URL('./without-filters.mjs', import.meta.url);
/** Where rows of tenants are filtered by the application too. */
const FILTERED_TABLES = [
  'tracked_keywords',
  'tracked_products',
  'digests',
  'search_history',
  'webhooks',
  'webhook_deliveries',
  'idempotency_keys',
  'lists',
  'list_items',
  'saved_searches',
  'chart_notes',
  'shares',
  'agents',
  'sessions',
  'invitations',
  'memberships',
  'api_keys',
  'audit_log',
];
const MIN_PROBES = 1_000;

export const tenancy: readonly Promised[] = [
  {
    name: 'tenants see nothing of each other',
    goal: 'at least 1,000 cross-tenant probes over every endpoint: 0 leaks',
    run: async (trial) => {
      await using world = await openWorld();
      await using server = await world.startServer();
      const members = await makeMembers(world, server);
      const result = await probeTenants({ server, members, seed: trial.seed, rounds: roundsOf(trial) });
      const people = await probePeople(await makePeople(world, server));
      return describeProbes(together(result, people), []);
    },
  },
  {
    name: 'row-level security alone keeps tenants apart',
    goal: "the same without the application's own filters: 0 leaks; and the probes see leaks when both are gone",
    run: async (trial) => {
      await using world = await openWorld();
      const functions = await stripFunctions(world.bench.database);
      await using server = await world.startServer({ NODE_OPTIONS: `--import ${PRELOAD.href}` });
      const members = await makeMembers(world, server);
      const probe = () => probeTenants({ server, members, seed: trial.seed, rounds: roundsOf(trial) });
      const people = await makePeople(world, server);
      const result = together(await probe(), await probePeople(people));
      const stripped = server
        .log()
        .split('\n')
        .filter((line) => line.startsWith('without filters: '));
      const untouched = FILTERED_TABLES.filter((table) => !stripped.some((line) => line.includes(table)));
      await disableRowLevelSecurity(world.bench.database);
      const control = await probe();
      const controlPeople = await probePeople(people);
      const faults = [
        ...untouched.map((table) => `the filter of ${table} was not removed`),
        ...([control, controlPeople].some(({ leaks }) => leaks.length === 0)
          ? ['no leak is seen with both removed']
          : []),
      ];
      const note = `; ${stripped.length} statements and ${functions} functions without filters; ${control.leaks.length + controlPeople.leaks.length} leaks seen with both removed`;
      return describeProbes(result, faults, note);
    },
  },
];

function together(a: ProbeResult, b: ProbeResult): ProbeResult {
  return {
    probes: a.probes + b.probes,
    operations: a.operations + b.operations,
    leaks: [...a.leaks, ...b.leaks],
    blind: [...a.blind, ...b.blind],
  };
}

function roundsOf({ quick }: Trial): number {
  return quick ? 2 : 20;
}

function describeProbes(result: ProbeResult, faults: readonly string[], note = ''): Finding {
  const { probes, operations, leaks, blind } = result;
  return {
    kept: leaks.length === 0 && blind.length === 0 && faults.length === 0 && probes >= MIN_PROBES,
    figure: [
      `${probes.toLocaleString('en')} probes over ${operations} endpoints, ${leaks.length} leaks${note}`,
      ...faults,
      ...leaks.slice(0, 20),
      ...blind.map((each) => `blind: ${each}`),
    ].join('\n'),
  };
}

/** Functions of the schema filter by organization too. */
async function stripFunctions({ owner }: TestDatabase): Promise<number> {
  const { rows } = await owner.query<{ definition: string }>(
    `SELECT pg_get_functiondef(oid) AS definition FROM pg_proc
     WHERE pronamespace = 'keyrank'::regnamespace AND prosrc ~ 'organization_id = p_organization'`,
  );
  for (const { definition } of rows) {
    await owner.query(definition.replaceAll(/(?:\b\w+\.)?\borganization_id = p_organization/g, 'true'));
  }
  return rows.length;
}

async function disableRowLevelSecurity({ owner }: TestDatabase): Promise<void> {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'keyrank'::regnamespace AND relrowsecurity`,
  );
  for (const { name } of rows) await owner.query(`ALTER TABLE keyrank.${name} DISABLE ROW LEVEL SECURITY`);
}
