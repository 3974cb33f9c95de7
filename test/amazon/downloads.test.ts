// The worker on a real database and real files, with a stand-in for Amazon.
import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { intervalAtRate } from '../../src/domain/connection.ts';
import { planStep } from '../../src/domain/download-step.ts';
import type { Period } from '../../src/domain/period.ts';
import { listDigests } from '../../src/postgres/digests.ts';
import { openDownloadQueue } from '../../src/postgres/downloads.ts';
import { openNotifications } from '../../src/postgres/notifications.ts';
import { openWorkbench, type Workbench } from '../ingest/workbench.ts';
import { makeMember, makeWebhook } from '../support/members.ts';
import { openDownloadWorld } from './download-world.ts';
import { NO_TROUBLE } from './fake-amazon.ts';

const WEDNESDAY = new Date('2026-07-15T06:00:00Z');
const hoursLater = (hours: number) => new Date(WEDNESDAY.getTime() + hours * 3_600_000);

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterEach(() => bench.database.operator.query('DELETE FROM connections'));
afterAll(() => bench[Symbol.asyncDispose]());

describe('downloads', () => {
  it('fetches every period of the look-back once, and leaves nothing on disk', async () => {
    await using world = await openDownloadWorld({ bench, seed: 1, now: WEDNESDAY, writesFiles: true });
    await world.connect({ region: 'na', marketplaces: ['US', 'CA'], lookBackWeeks: 1, lookBackMonths: 1 });
    await world.run(hoursLater(24));
    expect(await world.listDownloads()).toEqual(
      ['CA', 'US'].flatMap((code) =>
        ['monthly 06-2026', 'weekly 28-2026'].map((period) => ({
          place: `${code} ${period}`,
          state: 'imported',
          message: 'imported as revision 1',
          revision: 1,
        })),
      ),
    );
    expect((await world.bench.manifest()).periods).toHaveLength(4);
    expect(world.amazon.asked).toMatchObject({ createReport: 4, getReports: 2 });
    expect(await readdir(join(world.bench.dataDirectory, 'downloads'))).toEqual([]);
  });

  it('imports together what has come, and alone what failed before; a damaged one keeps no other back', async () => {
    await using world = await openDownloadWorld({ bench, seed: 9, now: WEDNESDAY });
    await world.connect({ region: 'na', marketplaces: ['US', 'CA'], lookBackWeeks: 2, lookBackMonths: 0 });
    const server = world.startServer();
    await server.plan();
    const count = async (state: string) =>
      (await world.listDownloads()).filter((download) => download.state === state).length;
    while ((await count('downloaded')) < 4) {
      if (!(await server.step('ask')) && !(await server.step('fetch'))) await world.advance(hoursLater(24));
    }
    const { operator } = bench.database;
    await operator.query(`UPDATE downloads SET failures = 1 WHERE marketplace = 'US' AND number = 27`);
    const { rows } = await operator.query(`SELECT id FROM downloads WHERE marketplace = 'CA' AND number = 27`);
    const downloads = join(bench.dataDirectory, 'downloads');
    const folder = (await readdir(downloads)).find((name) => name.startsWith(rows[0]?.id)) ?? '';
    await writeFile(join(downloads, folder, 'CA_weekly_27-2026.sp-api.json'), '{"reportSpecification":');
    // With so much on disk, nothing more is fetched before it is imported.
    expect(await openDownloadQueue(operator).claim('fetch', 1)).toBeUndefined();
    while (await server.step('import'));
    expect(world.batches.toSorted()).toEqual([1, 3]);
    expect([await count('imported'), await count('ready')]).toEqual([3, 1]);
    await world.run(hoursLater(48));
    expect(await count('imported')).toBe(4);
  });

  it('imports a body where it lies, and fetches it again where that server is gone', async () => {
    await using world = await openDownloadWorld({ bench, seed: 11, now: WEDNESDAY });
    await world.connect({ region: 'na', marketplaces: ['US'], lookBackWeeks: 1, lookBackMonths: 0 });
    const { operator } = bench.database;
    const placed = (place: string) => openDownloadQueue(operator, { clock: () => world.now, place });
    const [here, elsewhere] = [placed(randomUUID()), placed(randomUUID())];
    const server = world.startServer();
    await server.plan();
    const states = async () => (await world.listDownloads()).map(({ state }) => state);
    while ((await states())[0] !== 'ready') if (!(await server.step('ask'))) await world.advance(hoursLater(24));
    const claim = await here.claim('fetch');
    const [download] = claim?.downloads ?? [];
    if (!claim || !download) throw new Error('nothing is ready');
    await here.settle(claim, [{ download, step: planStep(download, { kind: 'downloaded' }, 0) }]);
    expect(await elsewhere.claim('import')).toBeUndefined();
    const own = await here.claim('import');
    expect(own?.downloads).toHaveLength(1);
    await here.giveBack(own?.lease ?? '');
    world.now = new Date(world.now.getTime() + 2 * 3_600_000);
    expect((await elsewhere.claim('import'))?.downloads).toHaveLength(1);
  });

  it('keeps to the rate that Amazon names, as long as it names it', async () => {
    await using world = await openDownloadWorld({ bench, seed: 10, now: WEDNESDAY });
    await world.connect({ region: 'na', marketplaces: ['US'] });
    const { operator } = bench.database;
    const { rows } = await operator.query('SELECT id FROM connections');
    const queue = openDownloadQueue(operator);
    const intervalAfter = async (perSecond: number) => {
      await queue.slowDown(rows[0]?.id, 'getReport', intervalAtRate('getReport', perSecond));
      const found = await operator.query(
        `SELECT interval_ms::int AS ms FROM connection_rates WHERE operation = 'getReport'`,
      );
      return found.rows[0]?.ms;
    };
    // An interval of years would end an account; one that is shorter than the published one is not used.
    expect([await intervalAfter(0.5), await intervalAfter(1e-300), await intervalAfter(50)]).toEqual([
      2080, 3_600_000, 550,
    ]);
  });

  it('waits for a week that Amazon has not made yet', async () => {
    const availableAt = () => new Date('2026-07-16T12:00:00Z');
    await using world = await openDownloadWorld({ bench, seed: 2, now: WEDNESDAY, amazon: { availableAt } });
    await world.connect({ region: 'na', marketplaces: ['US'], lookBackWeeks: 1, lookBackMonths: 1 });
    await world.run(hoursLater(4));
    const [month, week] = await world.listDownloads();
    expect([month?.state, week?.state]).toEqual(['wanted', 'wanted']);
    expect(week?.message).toMatch(
      /^Amazon could not make it: most likely it is too early.* Amazon says: Something went wrong/,
    );
    await world.run(hoursLater(72));
    expect((await world.listDownloads()).map(({ state }) => state)).toEqual(['imported', 'imported']);
  });

  it('uses a report that somebody asked for instead of asking again', async () => {
    await using world = await openDownloadWorld({ bench, seed: 3, now: WEDNESDAY });
    await world.connect({ region: 'na', marketplaces: ['US'], lookBackWeeks: 1, lookBackMonths: 0 });
    const server = world.startServer();
    await server.plan();
    await server.step('ask');
    // It dies after Amazon has taken the report and before anybody has heard of it.
    server.killWithin(2);
    await server.step('ask');
    expect([server.isDead, world.amazon.asked.createReport]).toEqual([true, 1]);
    await world.run(hoursLater(24));
    expect((await world.listDownloads()).map(({ state }) => state)).toEqual(['imported']);
    expect(world.amazon.asked.createReport).toBe(1);
  });

  it('continues a download that was cut', async () => {
    await using world = await openDownloadWorld({ bench, seed: 4, now: WEDNESDAY, amazon: { termsPerReport: 3000 } });
    await world.connect({ region: 'na', marketplaces: ['US'], lookBackWeeks: 1, lookBackMonths: 0 });
    world.amazon.trouble = { ...NO_TROUBLE, cut: 1 };
    const isCut = async () => world.log.some((line) => line.includes('"fault":"cut"'));
    await world.run(hoursLater(24), isCut);
    const [folder = ''] = await readdir(join(world.bench.dataDirectory, 'downloads'));
    expect(await readdir(join(world.bench.dataDirectory, 'downloads', folder))).toEqual([
      expect.stringMatching(/^part-/),
    ]);
    world.amazon.trouble = NO_TROUBLE;
    await world.run(hoursLater(48));
    expect((await world.listDownloads()).map(({ state }) => state)).toEqual(['imported']);
  });

  it('publishes what Amazon corrected as a new revision', async () => {
    const versionAt = (_: string, __: unknown, now: Date) => (now < hoursLater(72) ? 1 : 2);
    await using world = await openDownloadWorld({ bench, seed: 5, now: WEDNESDAY, amazon: { versionAt } });
    await world.connect({ region: 'na', marketplaces: ['US'], lookBackWeeks: 1, lookBackMonths: 0 });
    await world.run(hoursLater(24));
    await world.run(hoursLater(10 * 24));
    const week = (await world.listDownloads()).find(({ place }) => place === 'US weekly 28-2026');
    expect(week).toMatchObject({ state: 'imported', revision: 2 });
    expect((await world.publisher.readCatalog()).periods.map(({ revision }) => revision)).toContain(2);
  });

  it('holds a connection whose secrets are refused, and says what to do', async () => {
    await using world = await openDownloadWorld({ bench, seed: 6, now: WEDNESDAY });
    const account = await world.connect({ region: 'na', marketplaces: ['US'], lookBackWeeks: 4, lookBackMonths: 0 });
    world.amazon.removeAccount(account);
    await world.run(hoursLater(3));
    const { rows } = await world.bench.database.operator.query(
      'SELECT fault, held_until > $1 AS held FROM connections',
      [world.now],
    );
    expect(rows).toEqual([
      {
        held: true,
        fault: expect.stringMatching(
          /^Amazon does not accept the secrets: invalid_client: .*keyrank connection rotate/,
        ),
      },
    ]);
    // One try, and then none for hours.
    expect(world.log.filter((line) => line.includes('credentials'))).toHaveLength(4);
  });

  it('never fetches what was imported from a file', async () => {
    await using world = await openDownloadWorld({ bench, seed: 7, now: WEDNESDAY, writesFiles: true });
    await world.connect({ region: 'na', marketplaces: ['MX'], lookBackWeeks: 1, lookBackMonths: 0 });
    const path = join(world.bench.reports, 'plain.csv');
    await writeFile(path, 'period_type,period,search_term,rank\nweekly,28-2026,by hand,1\n');
    await world.bench.importOne(path, { flags: { marketplace: 'MX' } });
    await world.run(hoursLater(24));
    expect(await world.listDownloads()).toEqual([]);
  });

  it('tells once that a period is later than usual', async () => {
    const availableAt = (_: string, { number }: Period) =>
      new Date(number < 28 ? 0 : Date.parse('2026-08-20T00:00:00Z'));
    await using world = await openDownloadWorld({ bench, seed: 8, now: WEDNESDAY, amazon: { availableAt } });
    const { operator } = world.bench.database;
    const tenant = await makeMember(world.bench.database);
    await operator.query(
      `INSERT INTO tracked_keywords (organization_id, user_id, original_term, normalized_term, term_hash, notes, priority_enabled,
         priority_field, priority_operator, priority_value)
       VALUES ($1, $2, 'kettle', 'kettle', sha256('kettle'), '', false, 'latest_rank', 'lt', 1)`,
      [tenant.organizationId, tenant.userId],
    );
    await makeWebhook(world.bench.database, tenant, ['data.late']);
    await makeWebhook(world.bench.database, tenant, ['period.published']);
    const chat = { kind: 'slack', url: 'https://chat.example.com/x', isByKey: false, frequency: 'at_once' } as const;
    const { addChannel } = openNotifications(world.bench.database.service, { offersMail: false });
    await addChannel(tenant, { item: { ...chat, events: ['late'] }, idempotency: undefined });
    await world.connect({ region: 'na', marketplaces: ['US'], lookBackWeeks: 2, lookBackMonths: 0 });
    await world.run(hoursLater(20));
    expect((await operator.query('SELECT FROM late_periods')).rowCount).toBe(0);
    await world.run(hoursLater(5 * 24));
    const { rows } = await operator.query(
      'SELECT event, payload::json AS payload FROM webhook_deliveries ORDER BY event',
    );
    expect(rows).toEqual([
      {
        event: 'data.late',
        payload: {
          type: 'data.late',
          timestamp: expect.stringMatching(/^2026-07-1[89]T/),
          data: {
            marketplace: 'US',
            source: 'search',
            type: 'weekly',
            period: '28-2026',
            start_date: '2026-07-05',
            end_date: '2026-07-11',
            expected_at: '2026-07-16T00:00:00.000Z',
          },
        },
      },
      {
        event: 'notice',
        payload: expect.objectContaining({
          sections: [expect.objectContaining({ kind: 'late', marketplace: 'US', type: 'weekly', period: '28-2026' })],
        }),
      },
    ]);
    const digests = await listDigests(world.bench.database.service, tenant, {
      isUnreadOnly: true,
      limit: 9,
      offset: 0,
    });
    expect(digests.digests).toEqual([
      expect.objectContaining({
        kind: 'late',
        marketplace: 'US',
        period: { frequency: 'weekly', year: 2026, number: 28 },
        rows: [],
      }),
    ]);
  });
});
