// An installation before its first import: nothing false is said, and what to do is.
import axe from 'axe-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DESKTOP, openWebWorld, PHONE, type WebWorld } from './web-world.ts';

const EMPTY_VIEWS = [
  '/',
  '/?query=shoes',
  '/keyword?term=shoes',
  '/keyword',
  '/trends',
  '/trends?list=new',
  '/trends?list=seasonal',
  '/lookup',
  '/periods',
] as const;

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld(async () => {});
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

it.each([DESKTOP, PHONE])('every view says how data comes, with the command, %o', async (size) => {
  await using watched = await world.open('/', size);
  const { page } = watched;
  for (const path of EMPTY_VIEWS) {
    await page.goto(`${world.service.url}${path}`);
    await page.getByText('There is no data yet.').waitFor();
    await page.getByText('npx keyrank import').waitFor();
    const text = await page.locator('main').innerText();
    for (const wrong of [
      'Use fewer words',
      'No keyword matches',
      'Nothing moved',
      'Lower the threshold',
      'not in the data',
      'two full years',
    ]) {
      expect(text, path).not.toContain(wrong);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
  }
  await page.evaluate(axe.source);
  const result = await page.evaluate<axe.AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  expect(result.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
});

it('/trends?list=social says how social-media ranks come', async () => {
  await using watched = await world.open('/trends?list=social', DESKTOP);
  await watched.page.getByText('There are no monthly social-media ranks yet.').waitFor();
  await watched.page.getByText('--source social').waitFor();
});

it('one frequency alone leads to it, and one month alone is not said to have no moves', async () => {
  await world.service.publish('ranks.csv', 'period_type,period,search_term,rank\nmonthly,10-2026,desk lamp,7\n');
  await using watched = await world.open('/?query=lamp&type=weekly', DESKTOP);
  const { page } = watched;
  await page.getByText('There are no weekly reports yet, only monthly ones.').waitFor();
  await page.getByRole('button', { name: 'Show the monthly ranks' }).click();
  await page.locator('.result-grid .grid-body [role=row]').waitFor();
  expect(new URL(page.url()).search).toBe('?query=lamp');

  await page.getByRole('link', { name: 'Trends' }).click();
  await page.getByText('Moves need a second month.').waitFor();
  await page.getByText('Oct 2026 is the only month so far.').waitFor();
  await page.getByRole('link', { name: 'Search', exact: true }).click();
  await expect.poll(() => page.getByText('Moves need a second month.').count()).toBe(2);
});

it('/periods says of the first reports of a connection what comes, what does not, and what to do', async () => {
  const { operator } = world.service.database;
  // It looks back at nothing: the server adds no periods by itself, whatever the date.
  const { rows } = await operator.query<{ id: string }>(
    `INSERT INTO connections (name, region, marketplaces, client_id, secrets, key_id, look_back_weeks, look_back_months)
     VALUES ('acme', 'eu', '{DE,FR}', 'id', '', '', 0, 0) RETURNING id`,
  );
  await operator.query(
    `INSERT INTO downloads (connection_id, marketplace, frequency, year, number, end_date, state, reason, wanted_since, due_at)
     SELECT $1, marketplace, 'weekly', 2026, number, '2026-11-14', CASE WHEN number = 40 THEN 'failed' ELSE 'wanted' END,
       CASE WHEN number = 40 THEN 'forbidden' END, now(), now() + interval '1 hour'
     FROM unnest('{DE,FR}'::text[]) marketplace, generate_series(39, 46) number WHERE marketplace = 'DE' OR number < 42`,
    [rows[0]?.id],
  );
  for (const options of [DESKTOP, { ...PHONE, colorScheme: 'dark' as const }]) {
    await using watched = await world.open('/periods', options);
    const { page } = watched;
    await page.getByRole('grid', { name: 'Weeks by marketplace' }).waitFor();
    await page.getByText('DE, W40, 27 Sep – 3 Oct 2026: failed. Amazon does not give this report').waitFor();
    await page.getByText('npx keyrank connection retry --marketplace FR').waitFor();
    // On a phone the table scrolls in its box, with the newest week in sight first.
    const isInSight = async (cell: string) => {
      const { x = -1 } = (await page.locator(`.calendar-box.is-weekly [data-cell="${cell}"]`).boundingBox()) ?? {};
      return x > 0 && x < (page.viewportSize()?.width ?? 0);
    };
    await expect.poll(() => isInSight('0-46')).toBe(true);
    // The newest week is in the tab order; arrow keys pass over what is empty.
    await page.locator('.calendar-box.is-weekly button[tabindex="0"]').focus();
    const detail = page.locator('.calendar-detail');
    await expect
      .poll(() => detail.innerText())
      .toMatch(/^DE, W46, 8–14 Nov 2026: coming\. On its way\. Tried next on /);
    for (const key of ['Home', 'ArrowDown', 'End', 'ArrowRight', 'ArrowUp', 'ArrowLeft'])
      await page.keyboard.press(key);
    await expect.poll(() => detail.innerText()).toMatch(/^DE, W40, .*: failed\./);
    await expect.poll(() => isInSight('0-40')).toBe(true);
    await page.evaluate(axe.source);
    const result = await page.evaluate<axe.AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
    expect(result.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
    expect(watched.problems).toEqual([]);
  }
});
