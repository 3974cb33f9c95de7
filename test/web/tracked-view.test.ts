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

    await page.getByRole('button', { name: 'No alert for running shoes' }).click();
    await page.getByLabel('Comparison').selectOption('lte');
    await page.getByLabel('Value').fill('25');
    await page.getByRole('button', { name: 'Switch the alert on' }).click();
    await page.getByRole('button', { name: 'latest rank 25 or better for running shoes' }).waitFor();

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

  it('saves an alert that is on, says what it means and offers one that is not met already', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    const body = JSON.stringify({ keywords: [{ search_term: 'running shoes' }, { search_term: 'sandals' }] });
    await world.service.request('/v1/tracked-keywords', { method: 'POST', key, body });
    await using watched = await world.open('/tracked', { key });
    const { page, problems } = watched;
    for (const term of ['running shoes', 'sandals']) {
      await page.getByRole('button', { name: `No alert for ${term}` }).click();
      await page.locator('.rule-meaning', { hasText: 'not met yet' }).waitFor();
      await page.keyboard.press('Escape');
    }
    await page.getByRole('button', { name: 'No alert for sandals' }).click();
    const meaning = page.locator('.rule-meaning');
    await page.getByLabel('Field').selectOption('rank_change');
    await page.getByLabel('Comparison').selectOption('gt');
    await page.getByLabel('Value').fill('100');
    await expect
      .poll(() => meaning.innerText())
      .toContain('Alerts when: climbs by more than 100. A climb counts above 0, a fall below it.');
    await page.getByLabel('Comparison').selectOption('lt');
    await page.getByLabel('Value').fill('-50');
    await expect.poll(() => meaning.innerText()).toContain('falls by more than 50');
    await page.getByLabel('Field').selectOption('latest_rank');
    await page.getByLabel('Value').fill('1000000');
    await expect.poll(() => meaning.innerText()).toContain('met already');
    await page.getByLabel('Value').fill('');
    await expect.poll(() => page.getByRole('button', { name: 'Switch the alert on' }).isDisabled()).toBe(true);
    await page.getByLabel('Field').selectOption('rank_change');
    await page.getByLabel('Value').fill('-50');
    // Nothing but this is needed.
    await page.getByRole('button', { name: 'Switch the alert on' }).click();
    await page.getByRole('button', { name: 'falls by more than 50 for sandals' }).click();
    await page.getByRole('button', { name: 'Switch it off' }).click();
    await page.getByRole('button', { name: 'No alert for sandals' }).waitFor();
    expect(problems).toEqual([]);
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
    const product = JSON.stringify({ asin: 'B0HOSTILE1' });
    await world.service.request('/v1/tracked-products', { method: 'POST', key, body: product });
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
    await page.getByText('1 keyword · 1 alert · 1 product · change since Oct 2026').waitFor();
    // The report names no products, so it left the top three of its only keyword.
    const products = page.locator('.digest-products');
    await products.getByText('−1 left').waitFor();
    await expect.poll(() => products.locator('a').first().getAttribute('href')).toBe('/product?asin=B0HOSTILE1');
    await products.locator('.digest-changes').getByText('left place').waitFor();
    await page.evaluate(axe.source);
    const result = await page.evaluate<axe.AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
    expect(result.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    await page.getByRole('button', { name: 'Mark all read' }).click();
    await page.getByRole('link', { name: 'Tracked', exact: true }).waitFor();
    await expect.poll(() => page.locator('.digest.is-unread').count()).toBe(0);
    expect(failures).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('a digest', () => {
  it('shows every alert, and all keywords when asked to', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    const terms = Array.from({ length: 10 }, (_, i) => `long digest ${i}`);
    const keywords = terms.map((term, i) => ({
      search_term: term,
      ...(i < 8 ? { priority_rule: { field: 'latest_rank', operator: 'lt', value: 1000 } } : {}),
    }));
    await world.service.request('/v1/tracked-keywords', { method: 'POST', key, body: JSON.stringify({ keywords }) });
    const rows = terms.map((term, i) => `monthly,12-2026,${term},${i + 1}`);
    const report = ['period_type,period,search_term,rank', ...rows, ''].join('\n');
    await world.service.publish('digest.csv', report, 'search', new Date('2027-01-05T00:00:00Z'));
    const digests = () => world.service.request('/v1/tracked-keywords/digests', { key });
    await expect.poll(async () => (await digests()).json.data.length).toBe(1);
    await using watched = await world.open('/tracked', { key });
    const { page } = watched;
    await page.getByText('10 keywords · 8 alerts').waitFor();
    const listed = page.locator('.digest li');
    await expect.poll(() => listed.count()).toBe(8);
    await expect.poll(() => page.locator('.digest li .icon').count()).toBe(8);
    await page.getByRole('button', { name: 'Show all 10 keywords' }).click();
    await expect.poll(() => listed.count()).toBe(10);
    await expect.poll(async () => (await listed.locator('a').allInnerTexts()).toSorted()).toEqual(terms);
  });
});

describe('digests', () => {
  it('are counted and listed beyond the first twenty', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    const body = JSON.stringify({ search_term: 'many months' });
    await world.service.request('/v1/tracked-keywords', { method: 'POST', key, body });
    const months = Array.from(
      { length: 22 },
      (_, i) => `${String((i % 12) + 1).padStart(2, '0')}-${2023 + Math.floor(i / 12)}`,
    );
    const rows = months.map((month, i) => `monthly,${month},many months,${i + 1}`);
    await world.service.publish('months.csv', ['period_type,period,search_term,rank', ...rows, ''].join('\n'));
    const counted = async () =>
      (await world.service.request('/v1/tracked-keywords/digests?limit=1', { key })).json.pagination.total_count;
    await expect.poll(counted).toBe(22);
    await using watched = await world.open('/tracked', { key });
    const { page } = watched;
    await page.getByRole('link', { name: 'Tracked 22 unread digests' }).waitFor();
    await expect.poll(() => page.locator('.digest').count()).toBe(20);
    await page.getByRole('button', { name: 'Older digests (2)' }).click();
    await expect.poll(() => page.locator('.digest').count()).toBe(22);
    await expect.poll(() => page.getByRole('button', { name: /Older digests/ }).count()).toBe(0);
  });
});

describe('webhooks', () => {
  it('are added with a secret that is shown once, refused with the reason, and deleted', async () => {
    await using watched = await openAs('/account');
    const { page } = watched;
    await page.getByLabel('Address', { exact: true }).fill('ftp://example.com');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('is not an https address').waitFor();
    await page.getByLabel('Address', { exact: true }).fill('https://hooks.example.com/keyrank');
    await page.getByLabel('A period is published').uncheck();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('whsec_').waitFor();
    await page.getByText('tracked_keyword.priority_hit, tracked_product.changed, data.late', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete https://hooks.example.com/keyrank' }).click();
    await page.getByRole('button', { name: 'Really delete https://hooks.example.com/keyrank?' }).click();
    await page.getByText('Have your own program told').waitFor();
  });
});
