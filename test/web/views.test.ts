// What holds for every view: it is accessible in both colour schemes and sizes, asks nobody but its own server, and breaks
// nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATEGORY_BUCKETS } from '../../src/domain/category.ts';
import { CATEGORY_BUCKETS as WEB_CATEGORY_BUCKETS } from '../../web/parts/categories.ts';
import { inspect, overhangOf, violationsOf } from './inspect.ts';
import { DESKTOP, HOSTILE_TERM, openWebWorld, PHONE, TABLET, type WatchedPage, type WebWorld } from './web-world.ts';

/** Each view by its address, with what `found` knows in braces, and what is there once it has loaded. */
const VIEWS: readonly (readonly [string, string])[] = [
  ['/', 'text=Climbing'],
  ['/?query=shoes&limit=50', '.result-grid .grid-body [role=row]'],
  ['/?query=shoes&type=weekly&order_by=45-2026&limit=50&brand=Acme&max_rank=500', 'text=No keyword matches'],
  ['/?query=shoes&order_by=10-2026&limit=50', '.result-grid .grid-body .col-period'],
  ['/?query=shoes&page=0', 'text=must be an integer'],
  ['/keyword', 'text=Look at one keyword closely'],
  ['/keyword?term=running+shoes&term=sandals', '.chart svg'],
  ['/keyword?term=running+shoes&type=weekly', '.chart svg'],
  ['/keyword?term=no+such+keyword', 'text=is not in the data'],
  ['/keyword?term=running+shoes&chart=shares&range=3', '.plot-column rect'],
  [`/keyword?term=${encodeURIComponent(HOSTILE_TERM)}`, '.chart svg'],
  ['/product?asin=B0HOSTILE1', '.held-grid'],
  ['/product?asin=B0HOSTILE1&asin=B0ZZZZZZZ9&mode=any', '.side-by-side tbody tr'],
  ['/product?asin=B0ZZZZZZZ9', 'text=that you can see names'],
  ['/brand?name={brand}', '.held-grid'],
  ['/trends?threshold=1&limit=50', '.mover-grid .grid-body [role=row]'],
  ['/trends?list=new&limit=50', '.new-grid .grid-body [role=row]'],
  ['/trends?list=seasonal', 'text=A season needs two full years'],
  ['/lookup', 'text=Every 50 cost one search'],
  ['/trends?list=social&limit=20&max_rank=500', '.multiple'],
  ['/nothing', 'text=There is nothing at this address'],
  ['/tracked', '.tracked-grid .grid-body [role=row]'],
  ['/tracked?group=list&sort=latest', '.tracked-group .grid-body [role=row]'],
  ['/lists', '.shared-list li'],
  ['/lists?list={list}', '.item-grid .grid-body [role=row]'],
  ['/team', '.team-rows li'],
  ['/imports', 'text=Reports are imported by operators'],
  ['/account', 'text=Next slot at'],
  ['/periods', 'text=Retail search, monthly'],
];

const POPOVERS =
  /^(Copy as|Export|Save|Share|Add keywords|New list|Add items|Name and alert|Brand|Category|More|Columns)$/;

let world: WebWorld;
const found = { brand: '', list: '' };
/** One page after the other shows all views: to start one takes longer than to look at it. */
let desk: WatchedPage;
let phone: WatchedPage;
beforeAll(async () => {
  world = await openWebWorld();
  const keywords = ['running shoes', 'sandals', 'not in the data', HOSTILE_TERM].map((term) => ({
    search_term: term,
    notes: 'a note of some length, which must not push anything over the edge',
    priority_rule: { field: 'rank_change', operator: 'gt', value: -123456 },
  }));
  const body = JSON.stringify({ keywords });
  await world.service.request('/v1/tracked-keywords', { method: 'POST', key: world.key, body });
  const post = async (path: string, shared: object) => {
    const sent = { method: 'POST', key: world.key, body: JSON.stringify(shared) };
    return (await world.service.request(path, sent)).json.data;
  };
  const rule = keywords[0]?.priority_rule;
  const list = await post('/v1/lists', { name: HOSTILE_TERM, notes: 'n'.repeat(200), priority_rule: rule });
  found.list = list.id;
  const items = ['running shoes', HOSTILE_TERM].map((term) => ({ search_term: term, tags: ['a tag of some length'] }));
  await post(`/v1/lists/${list.id}/items`, { items: [...items, { asin: 'B0HOSTILE1', notes: 'n'.repeat(200) }] });
  await post('/v1/saved-searches', { name: HOSTILE_TERM, address: `/?query=${'long'.repeat(40)}&max_rank=5000` });
  await post('/v1/tracked-products', { asin: 'B0HOSTILE1' });
  const { json } = await world.service.request('/v1/search/keywords?query=shoes&limit=1', { key: world.key });
  found.brand = encodeURIComponent(json.data[0].latest_data.brands[0]);
  desk = await world.open('/', DESKTOP);
  phone = await world.open('/', PHONE);
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

async function show({ page, problems }: WatchedPage, path: string, loaded: string): Promise<void> {
  problems.length = 0;
  const address = path.replace(/\{(\w+)\}/g, (_, name: keyof typeof found) => found[name]);
  await page.goto(`${world.service.url}${address}`);
  await page.locator(loaded).first().waitFor();
  await page.waitForLoadState('networkidle');
}

describe.each(VIEWS)('%s', (path, loaded) => {
  it('is accessible, quiet and keeps to itself on a desk and a tablet, light and dark', async () => {
    const { page, problems } = desk;
    await page.setViewportSize(DESKTOP.viewport);
    await show(desk, path, loaded);
    await expect.poll(() => page.title()).toMatch(/ · keyrank$/);
    for (const { viewport } of [DESKTOP, TABLET]) {
      await page.setViewportSize(viewport);
      await inspect(desk, `${viewport.width}`);
      await openPopovers(desk);
    }
    expect(problems).toEqual([]);
  });

  it('is so on a phone that is touched', async () => {
    await show(phone, path, loaded);
    await inspect(phone, 'phone');
    await openPopovers(phone);
    expect(phone.problems).toEqual([]);
  });
});

async function openPopovers(watched: WatchedPage): Promise<void> {
  const { page } = watched;
  for (const button of await page.getByRole('button', { name: POPOVERS }).all()) {
    await button.click();
    await page.getByRole('dialog').waitFor();
    expect(await overhangOf(watched), await button.innerText()).toBe(0);
    await page.keyboard.press('Escape');
  }
}

it('what is opened beside a list is accessible too, at every size, light and dark', async () => {
  await show(desk, '/?query=shoes&limit=50', '.result-grid .grid-body [role=row]');
  const { page } = desk;
  await page
    .getByRole('checkbox', { name: /^Select / })
    .nth(1)
    .click();
  await page.getByRole('button', { name: 'Roots' }).click();
  await page.locator('.roots-table').waitFor();
  for (const { viewport } of [DESKTOP, TABLET, PHONE]) {
    await page.setViewportSize(viewport);
    await inspect(desk, `${viewport.width}`);
    for (const name of ['Columns', 'More', 'Add to list']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').locator('input, select').first().waitFor();
      await inspect(desk, `${name} at ${viewport.width}`);
      await page.keyboard.press('Escape');
    }
  }
  expect(desk.problems).toEqual([]);
});

it('the words of an alert stay within their row', async () => {
  const { page } = desk;
  await page.setViewportSize(DESKTOP.viewport);
  await show(desk, '/tracked', '.tracked-grid .grid-body [role=row]');
  const [rule, row] = await Promise.all(
    ['.col-rule .rule', '[role=row]'].map((name) =>
      page.locator(`.tracked-grid .grid-body ${name}`).first().boundingBox(),
    ),
  );
  expect(rule?.height ?? 99).toBeLessThan(row?.height ?? 0);
});

it('periods fit on a phone whatever their age', async () => {
  await using watched = await world.open('/', PHONE);
  const { page } = watched;
  await page.clock.setFixedTime(Date.now() + 20 * 3_600_000);
  await show(watched, '/periods', 'text=20 hours ago');
  expect(await overhangOf(watched)).toBe(0);
});

describe('signing in', () => {
  it('is accessible, and asks nothing but how, before anybody is in', async () => {
    await using watched = await world.open('/trends', { ...DESKTOP, key: null });
    await watched.page.getByLabel('API key').waitFor();
    expect(await violationsOf(watched)).toEqual([]);
    expect(watched.asked).toEqual(['/v1/sign-in']);
    expect(watched.problems).toEqual([]);
  });
});

it('offers the categories that the API knows', () => {
  expect(WEB_CATEGORY_BUCKETS).toEqual(CATEGORY_BUCKETS);
});
