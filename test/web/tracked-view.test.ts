// What the page does with tracked keywords, digests and webhooks.
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWebWorld, type WebWorld } from './web-world.ts';

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld();
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

/** A user of their own for each test. */
async function openAs(path: string) {
  return await world.open(path, { key: await world.service.makeKey({ subscription: { plan: 'studio' } }) });
}

async function trackedTerms(key: string): Promise<string[]> {
  const { json } = await world.service.request('/v1/tracked-keywords', { key });
  return json.data.map((each: { search_term: { original_term: string } }) => each.search_term.original_term);
}

describe('tracking', () => {
  it('begins and ends with the star of a row, by hand and by keyboard', async () => {
    await using watched = await openAs('/?query=shoes');
    const { page, failures, problems } = watched;
    const row = page.locator('.result-grid .grid-body [role=row]').first();
    const term = await row.locator('.col-term').innerText();
    await row.getByRole('button', { name: `Track ${term}`, exact: true, pressed: false }).click();
    await page.getByText(`Tracking “${term}”.`).waitFor();
    await row.getByRole('button', { name: `Track ${term}`, exact: true, pressed: true }).waitFor();
    await row.focus();
    await page.keyboard.press('t');
    await page.getByText(`No longer tracking “${term}”.`).waitFor();
    await row.getByRole('button', { name: `Track ${term}`, exact: true, pressed: false }).waitFor();
    expect(failures).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('takes a pasted list, keeps notes and rules, and pauses', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    await using watched = await world.open('/tracked', { key });
    const { page, failures } = watched;
    await page.getByText('Nothing is tracked yet.').waitFor();
    await page.getByRole('button', { name: 'Add keywords' }).click();
    await page.getByLabel('One keyword per line').fill('running shoes\n\nsandals\nrunning shoes\nnot in the data\n');
    await page.getByRole('button', { name: 'Track 3' }).click();
    await page.getByText('Tracking 3 more.').waitFor();
    expect(await trackedTerms(key)).toEqual(['running shoes', 'sandals', 'not in the data']);
    await page.getByText('not in the data yet').waitFor();

    await page.getByRole('button', { name: 'No alert' }).first().click();
    await page.getByLabel('Alert me when a new period has').check();
    await page.getByLabel('Comparison').selectOption('lte');
    await page.getByLabel('Value').fill('25');
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByRole('button', { name: 'latest rank ≤ 25' }).waitFor();

    await page.getByRole('button', { name: 'Pause sandals' }).click();
    await page.getByRole('button', { name: 'Resume sandals' }).waitFor();

    await page.getByRole('link', { name: 'running shoes' }).click();
    await page.getByLabel('Notes').fill('spring campaign');
    await page.getByRole('button', { name: 'Save notes' }).click();
    await page.getByText('Notes saved.').waitFor();
    const { json } = await world.service.request('/v1/tracked-keywords', { key });
    expect(json.data).toMatchObject([
      {
        notes: 'spring campaign',
        priority_enabled: true,
        priority_rule: { field: 'latest_rank', operator: 'lte', value: 25 },
      },
      { is_active: false },
      { snapshot: { latest_rank: null } },
    ]);
    expect(failures).toEqual([]);
  });

  it('brings a digest with every new period, with a badge until it is read', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    const tracked = await world.service.request('/v1/tracked-keywords', {
      method: 'POST',
      key,
      body: JSON.stringify({
        search_term: 'digest lamp',
        priority_rule: { field: 'latest_rank', operator: 'lt', value: 100 },
      }),
    });
    expect(tracked.status).toBe(201);
    await world.service.publish(
      'extra.csv',
      'period_type,period,search_term,rank\nmonthly,11-2026,digest lamp,7\nmonthly,11-2026,other lamp,8\n',
      'search',
      new Date('2026-12-05T00:00:00Z'),
    );
    await expect
      .poll(async () => (await world.service.request('/v1/tracked-keywords/digests', { key })).json.data.length, {
        timeout: 30_000,
      })
      .toBe(1);
    await using watched = await world.open('/tracked', { key });
    const { page, failures, problems } = watched;
    await page.getByRole('link', { name: 'Tracked 1 unread digests' }).waitFor();
    await page.getByText('1 keywords · 1 alerts').waitFor();
    await page.evaluate(axe.source);
    const result = await page.evaluate<axe.AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
    expect(result.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    await page.getByRole('button', { name: 'Mark all read' }).click();
    await page.getByRole('link', { name: 'Tracked', exact: true }).waitFor();
    expect(await page.locator('.digest.is-unread').count()).toBe(0);
    expect(failures).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('webhooks', () => {
  it('are added with a secret that is shown once, refused with the reason, and deleted', async () => {
    await using watched = await openAs('/account');
    const { page } = watched;
    await page.getByLabel('Address').fill('ftp://example.com');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('is not an https address').waitFor();
    await page.getByLabel('Address').fill('https://hooks.example.com/keyrank');
    await page.getByLabel('A period is published').uncheck();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('whsec_').waitFor();
    await page.getByText('tracked_keyword.priority_hit', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete https://hooks.example.com/keyrank' }).click();
    await page.getByText('Have your own program told').waitFor();
  });
});
