// Whatever fails in the loops behind a publication, at whichever step and in whichever way: the loop goes on, the work is done
// in the end, and nothing reaches the process.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/account.ts';
import type { PublicationQueue } from '../../src/domain/publication.ts';
import { type DeliveryQueue, MAX_ATTEMPTS } from '../../src/domain/webhook.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { openPublicationQueue, type SetAsidePublication } from '../../src/postgres/publications.ts';
import { openDeliveryQueue } from '../../src/postgres/webhook-deliveries.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { ServedRanks } from '../../src/snapshot/served-ranks.ts';
import { SnapshotStore } from '../../src/snapshot/snapshot-store.ts';
import { startDeliveryWorker } from '../../src/watch/delivery-worker.ts';
import { JobLoop } from '../../src/watch/job-loop.ts';
import { startPublicationWorker } from '../../src/watch/publication-worker.ts';
import { openWorkbench, type Workbench } from '../ingest/workbench.ts';
import { FAULT_KINDS, type FaultKind, FaultPlan } from '../support/fault-plan.ts';
import { plainReport } from '../support/publications.ts';
import { COMPILED } from '../support/service.ts';
import { untilReported, watchStrayFaults } from '../support/stray-faults.ts';

const MEMBERS = 3;

let bench: Workbench;
let store: SnapshotStore;
let ranks: ServedRanks;

beforeAll(async () => {
  bench = await openWorkbench();
  const { operator } = bench.database;
  const subscription = { plan: 'pro', status: 'active', periodEnd: null } as const;
  await createOrganization(operator, { name: 'Acme', subscription });
  for (let i = 0; i < MEMBERS; i += 1) {
    const userEmail = `user${i}@example.com`;
    await createApiKey(operator, { organization: 'Acme', userEmail, scopes: SCOPES, expiresAt: null });
  }
  await operator.query(
    `INSERT INTO tracked_keywords (organization_id, user_id, original_term, normalized_term, term_hash, notes,
       priority_enabled, priority_field, priority_operator, priority_value)
     SELECT organization_id, user_id, 'yoga mat', 'yoga mat', sha256('yoga mat'), '', true, 'latest_rank', 'gt', 0
     FROM memberships`,
  );
  await operator.query(
    `INSERT INTO webhooks (organization_id, user_id, url, events, secret)
     SELECT organization_id, user_id, 'https://hooks.example.com/', ARRAY['period.published', 'tracked_keyword.priority_hit'], $1
     FROM memberships`,
    [randomBytes(32)],
  );
  const file = join(bench.reports, 'month.csv');
  await writeFile(file, plainReport({ frequency: 'monthly', period: '01-2026' }, { 'yoga mat': 3 }));
  expect((await bench.importOne(file)).status).toBe('done');
  store = new SnapshotStore({ workerCount: 1, maxQueued: 100, workerFolder: COMPILED.workerFolder as URL });
  ranks = await openRanks();
}, 180_000);
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await bench[Symbol.asyncDispose]();
});

function openRanks(): Promise<ServedRanks> {
  const { dataDirectory, database } = bench;
  return ServedRanks.open({
    store,
    dataDirectory,
    loadManifest: () => loadManifest(database.operator),
  });
}

async function count(sql: string): Promise<number> {
  return (await bench.database.owner.query<{ count: number }>(sql)).rows[0]?.count ?? 0;
}

/** Runs a round for each call that can fail, until one is so late that nothing did; returns how many calls there are. */
async function tryEachCall(kind: FaultKind, round: (faults: FaultPlan) => Promise<void>): Promise<number> {
  for (let callNumber = 1; ; callNumber += 1) {
    using stray = watchStrayFaults();
    const faults = new FaultPlan(kind, callNumber);
    await round(faults);
    await untilReported();
    expect(stray.faults, `${kind}, call ${callNumber}`).toEqual([]);
    if (!faults.hasStruck) return callNumber - 1;
  }
}

const PUBLICATION = `INSERT INTO publications (marketplace, source, frequency, year, number, revision, start_date, end_date,
    keywords, published_at, manifest_version)
  VALUES ('US', 'search', 'monthly', 2026, 1, 1, '2026-01-01', '2026-01-31', 1, now(), 1)`;

async function clearNews(): Promise<void> {
  await bench.database.owner.query('TRUNCATE digests, priority_hits, usage_counts, webhook_deliveries, publications');
}

describe('a member who can never be told', () => {
  it('keeps nobody else from it, and the publication is set aside in the end', async () => {
    const { operator, owner } = bench.database;
    await clearNews();
    const { rows } = await owner.query<{ id: string }>(`SELECT id FROM users WHERE email = 'user0@example.com'`);
    const poisoned = rows[0]?.id ?? '';
    await owner.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'poisoned'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON digests FOR EACH ROW WHEN (NEW.user_id = '${poisoned}')
         EXECUTE FUNCTION refuse()`,
    );
    await owner.query(PUBLICATION);
    const failures: unknown[] = [];
    const setAside: SetAsidePublication[] = [];
    const onSetAside = (publication: SetAsidePublication) => void setAside.push(publication);
    const worker = startPublicationWorker({
      queue: openPublicationQueue(operator, onSetAside),
      ranks,
      trackedMarketplace: 'US',
      onError: (_error, about) => void failures.push(about),
    });
    while (setAside.length === 0) {
      await owner.query('UPDATE publications SET next_attempt_at = now() WHERE next_attempt_at > now()');
      worker.wake();
      await sleep(20);
    }
    await worker[Symbol.asyncDispose]();
    await owner.query('DROP TRIGGER refuse ON digests; DROP FUNCTION refuse()');
    expect(setAside).toMatchObject([{ attempts: MAX_ATTEMPTS, error: '1 could not be told: poisoned' }]);
    expect(failures).toContainEqual(expect.objectContaining({ userId: poisoned, period: '01-2026' }));
    expect(await count('SELECT count(*) FROM digests')).toBe(MEMBERS - 1);
    // Every webhook heard of the month, and those who were told of their hits.
    expect(await count('SELECT count(*) FROM webhook_deliveries')).toBe(2 * MEMBERS - 1);
    expect(await count(`SELECT sum(count)::bigint AS count FROM usage_counts`)).toBe(MEMBERS - 1);
  }, 120_000);
});

describe.each(FAULT_KINDS)('when a call %s', (kind) => {
  it('publications: everyone is told once', async () => {
    const { operator, owner } = bench.database;
    const calls = await tryEachCall(kind, async (faults) => {
      await clearNews();
      await owner.query(PUBLICATION);
      const { takeNext } = openPublicationQueue(faults.wrapPool(operator), () => expect.unreachable());
      const queue = faults.wrap<PublicationQueue>({
        takeNext: (manifestVersion, work) => takeNext(manifestVersion, (each) => work(faults.wrap(each))),
      });
      const { openView, onError } = faults.wrap(
        {
          openView: (set: Parameters<ServedRanks['openView']>[0]) => {
            const view = ranks.openView(set);
            return view && faults.wrap(view);
          },
          onError: () => {},
        },
        { atOnce: ['openView', 'onError'] },
      );
      const worker = startPublicationWorker({
        queue,
        ranks: { catalog: ranks.catalog, openView },
        trackedMarketplace: 'US',
        onError,
      });
      // Nobody waits for the pauses between attempts.
      while ((await count('SELECT count(*) FROM publications')) > 0) {
        await owner.query('UPDATE publications SET next_attempt_at = now() WHERE next_attempt_at > now()');
        worker.wake();
        await sleep(20);
      }
      await worker[Symbol.asyncDispose]();
      expect(await count('SELECT count(*) FROM digests')).toBe(MEMBERS);
      expect(await count('SELECT count(*) FROM priority_hits')).toBe(MEMBERS);
      expect(await count(`SELECT sum(count)::bigint AS count FROM usage_counts`)).toBe(MEMBERS);
      expect(await count('SELECT count(*) FROM webhook_deliveries')).toBe(2 * MEMBERS);
    });
    expect(calls).toBeGreaterThanOrEqual(2 + 2 * MEMBERS);
  }, 120_000);

  it('deliveries: every message is sent', async () => {
    const { operator, owner } = bench.database;
    const calls = await tryEachCall(kind, async (faults) => {
      await owner.query('TRUNCATE webhook_deliveries');
      await owner.query(
        `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
         SELECT organization_id, id, 'period.published', 'k' || n, '{}' FROM webhooks, generate_series(1, 2) n`,
      );
      const queue: DeliveryQueue = faults.wrap(
        openDeliveryQueue(faults.wrapPool(operator), () => expect.unreachable()),
      );
      const sent = new Set<string>();
      const { send, now, random, onError } = faults.wrap(
        {
          send: async ({ deliveryId }: { readonly deliveryId: string }) => {
            sent.add(deliveryId);
            return { kind: 'accepted', responseStatus: 204 } as const;
          },
          now: () => new Date(),
          random: () => 0.5,
          onError: () => {},
        },
        { atOnce: ['now', 'random', 'onError'] },
      );
      const worker = startDeliveryWorker({ queue, sender: { send }, now, random, onError });
      while ((await count(`SELECT count(*) FROM webhook_deliveries WHERE status <> 'delivered'`)) > 0) {
        await owner.query(`UPDATE webhook_deliveries SET next_attempt_at = now() WHERE next_attempt_at > now()`);
        worker.wake();
        await sleep(20);
      }
      await worker[Symbol.asyncDispose]();
      expect(sent.size).toBe(2 * MEMBERS);
    });
    expect(calls).toBeGreaterThanOrEqual(1 + 2 * MEMBERS * 4);
  }, 120_000);

  it('a loop: the next look does the work', async () => {
    await tryEachCall(kind, async (faults) => {
      let looks = 0;
      const parts = {
        work: async () => {
          looks += 1;
        },
        onError: () => {},
      };
      const { work, onError } = faults.wrap(parts, { atOnce: ['onError'] });
      const loop = new JobLoop({ work, everyMs: 5, onError });
      await expect.poll(() => looks).toBeGreaterThan(2);
      await loop[Symbol.asyncDispose]();
    });
  });

  it('loading of snapshots: who asked hears of it, and the next look catches up', async () => {
    const { dataDirectory, database } = bench;
    const { version } = await loadManifest(database.operator);
    await tryEachCall(kind, async (faults) => {
      const parts = faults.wrap({ loadManifest: () => loadManifest(database.operator) });
      const options = {
        store: faults.wrap(store, { atOnce: ['withdraw', 'openView', 'checkRoom'] }),
        dataDirectory,
        loadManifest: () => parts.loadManifest(),
      };
      const opened = await ServedRanks.open(options).catch(() => undefined);
      const caughtUp = opened ?? (await ServedRanks.open(options));
      await caughtUp.refresh().catch(() => caughtUp.refresh());
      expect(caughtUp.catalog.version).toBe(version);
    });
  });
});
