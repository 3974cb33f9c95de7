// What the page does with lists, saved searches, and tracked keywords by list.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectAtEverySize } from './inspect.ts';
import { DESKTOP, HOSTILE_TERM, openWebWorld, PHONE, type WebWorld } from './web-world.ts';

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld();
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

const ask = async (path: string, key: string) => (await world.service.request(path, { key })).json.data;

describe('lists', () => {
  it('are made, filled by pasting, tagged, given an alert, thinned out with a way back, exported and deleted', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    await using watched = await world.open('/lists', { key, ...DESKTOP });
    const { page, failures, problems } = watched;
    await page.getByText('A list holds keywords and products').waitFor();
    await page.getByText('above the results of a').waitFor();
    await page.getByRole('button', { name: 'New list' }).click();
    await page.getByLabel('Name of the list').fill('Spring shoes');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Lists / Spring shoes' }).waitFor();
    await page.getByText('This list is empty.').waitFor();

    const terms = ['running shoes', 'sandals', 'not in the data', HOSTILE_TERM, 'B0HOSTILE1'];
    await page.getByRole('button', { name: 'Add items' }).click();
    await page.getByLabel('One keyword or ASIN per line').fill(`${terms.join('\n')}\nsandals\n`);
    await page.getByRole('button', { name: 'Add 5' }).click();
    await page.getByText('Added 5 to “Spring shoes”.').waitFor();
    const rows = page.locator('.item-grid .grid-body [role=row]');
    await expect.poll(() => rows.count()).toBe(5);
    await page.getByText('not in the data yet').waitFor();
    const [list] = await ask('/v1/lists', key);
    expect(list).toMatchObject({ name: 'Spring shoes', keyword_count: 4, product_count: 1 });

    await page.getByRole('button', { name: 'Tags, notes of sandals' }).click();
    await page.getByLabel('Tags, with commas between them').fill('core, summer,');
    await page.getByLabel('Notes', { exact: true }).fill('ask the supplier');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'core, summer of sandals' }).waitFor();
    await page.getByText('ask the supplier').waitFor();
    // Several at once.
    for (const term of ['sandals', 'running shoes']) await page.getByLabel(`Select ${term}`, { exact: true }).check();
    await page.getByRole('button', { name: 'Tag 2' }).click();
    await page.getByLabel('Add tags').fill('spring, CORE');
    await page.getByLabel('summer', { exact: true }).check();
    await inspectAtEverySize(watched);
    await page.getByRole('button', { name: 'Change 2 items' }).click();
    await page.getByRole('button', { name: 'core, spring of sandals' }).waitFor();
    await page.getByRole('button', { name: 'spring, CORE of running shoes' }).waitFor();
    for (const term of ['sandals', 'running shoes']) await page.getByLabel(`Select ${term}`, { exact: true }).uncheck();
    await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'core' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    // In the spelling that comes first in the list.
    expect(new URL(page.url()).searchParams.get('tag')).toBe('CORE');
    await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'core' }).click();

    const named = page.locator('.item-grid .grid-body .col-term a');
    await page.getByRole('button', { name: 'Latest', exact: true }).click();
    await expect
      .poll(async () => (await named.allInnerTexts()).slice(-2).toSorted())
      .toEqual(['B0HOSTILE1', 'not in the data']);
    const [first, second] = await ask(`/v1/lists/${list.id}/items?kind=keyword`, key);
    const isFirstBetter = first.keyword.latest_rank < second.keyword.latest_rank;
    const order = async () =>
      (await named.allInnerTexts()).filter((term) => [first.value, second.value].includes(term));
    await expect.poll(order).toEqual(isFirstBetter ? [first.value, second.value] : [second.value, first.value]);

    await page.getByRole('button', { name: 'Name and alert' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Summer shoes');
    await page.getByLabel(/^Alert whoever tracks/).check();
    await page.getByLabel('Value').fill('250');
    await page.getByText('Keywords with an alert of their own follow that one.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Lists / Summer shoes' }).waitFor();
    await page.getByText('alerts: latest rank better than 250').waitFor();

    await page.getByRole('button', { name: 'Track 4' }).click();
    await page.getByText('Tracking 4 more.').waitFor();
    await inspectAtEverySize(watched);

    await page.setViewportSize(DESKTOP.viewport);
    await page.getByLabel('Select sandals').check();
    // By keyboard too.
    await rows.first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: /^Remove [12]$/ }).click();
    await page.getByText(/^Removed [12] items?\./).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => rows.count()).toBe(5);
    const sandals = (await ask(`/v1/lists/${list.id}/items`, key)).find(
      ({ value }: { value: string }) => value === 'sandals',
    );
    expect(sandals).toMatchObject({ tags: ['core', 'spring'], notes: 'ask the supplier' });

    await page.getByRole('button', { name: 'Export' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download 5 rows' }).click();
    expect((await downloading).suggestedFilename()).toMatch(/^keyrank-list-summer-shoes-.*\.xlsx$/);

    await page.getByRole('button', { name: 'Delete Summer shoes' }).click();
    await page.getByText('is deleted for everyone of your organization').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('A list holds keywords and products').waitFor();
    expect(await ask('/v1/lists', key)).toEqual([]);
    await page.goto(`${world.service.url}/lists?list=${list.id}`);
    await page.getByText('There is no such list.').waitFor();
    expect(failures).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('group and filter tracked keywords, which are sorted by any column, on a phone too', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    const post = async (path: string, body: object) =>
      (await world.service.request(path, { method: 'POST', key, body: JSON.stringify(body) })).json.data;
    const priority_rule = { field: 'latest_rank', operator: 'lt', value: 5 };
    const keywords = [
      { search_term: 'sandals', notes: 'margin' },
      { search_term: 'running shoes', priority_rule },
      { search_term: 'unheard' },
    ];
    await post('/v1/tracked-keywords', { keywords });
    for (const name of ['Spring', 'Summer']) {
      const list = await post('/v1/lists', { name });
      const items = [{ search_term: 'SANDALS' }, ...(name === 'Summer' ? [{ search_term: 'running shoes' }] : [])];
      await post(`/v1/lists/${list.id}/items`, { items });
    }
    await using watched = await world.open('/tracked', { key, ...DESKTOP });
    const { page, failures, problems } = watched;
    const terms = () => page.locator('.tracked-grid .col-term a').allInnerTexts();
    await expect.poll(terms).toEqual(['sandals', 'running shoes', 'unheard']);
    await page.getByRole('button', { name: 'Keyword', exact: true }).click();
    await expect.poll(terms).toEqual(['running shoes', 'sandals', 'unheard']);
    await page.getByRole('button', { name: 'Keyword', exact: true }).click();
    await expect.poll(terms).toEqual(['unheard', 'sandals', 'running shoes']);
    await page.getByLabel('Words in the keyword or its notes').fill('MARG');
    await expect.poll(terms).toEqual(['sandals']);
    await page.getByText('1 of 3 keywords.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Show', { exact: true }).selectOption('With an alert');
    await expect.poll(terms).toEqual(['running shoes']);
    await page.getByLabel('Show', { exact: true }).selectOption('All');
    await page.getByLabel('List', { exact: true }).selectOption('Spring');
    await expect.poll(terms).toEqual(['sandals']);
    await page.getByLabel('List', { exact: true }).selectOption('In no list');
    await expect.poll(terms).toEqual(['unheard']);
    await page.getByRole('button', { name: 'Add to list' }).click();
    await page.getByRole('dialog').getByRole('combobox').selectOption('New list …');
    await page.getByLabel('Name of the new list').fill('Autumn');
    await page.getByLabel('Tags for those that are new in it').fill('cold');
    await page.getByRole('button', { name: 'Add 1', exact: true }).click();
    await page.getByText('Added 1 to “Autumn”.').waitFor();
    const autumn = (await ask('/v1/lists', key)).find(({ name }: { name: string }) => name === 'Autumn');
    expect((await ask(`/v1/lists/${autumn.id}/items`, key))[0].tags).toEqual(['cold']);
    await expect.poll(terms).toEqual([]);
    await page.getByLabel('List', { exact: true }).selectOption('Every list');
    await page.getByLabel('Group by list').check();
    await page.getByRole('region', { name: 'Autumn' }).waitFor();
    await expect
      .poll(() => page.locator('.tracked-group h2').allInnerTexts())
      .toEqual(['Spring 1', 'Summer 2', 'Autumn 1']);
    await inspectAtEverySize(watched);
    await page.setViewportSize(PHONE.viewport);
    await page.getByLabel('Sort by').selectOption('Latest rank');
    await page.reload();
    await page.getByLabel('Group by list').uncheck();
    await expect.poll(async () => (await terms()).at(-1)).toBe('unheard');
    expect(failures).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('saved searches', () => {
  it('are saved where results are, open with their filters, are renamed and deleted', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    await using watched = await world.open('/?query=shoes&max_rank=5000&order_by=best_rank', { key, ...DESKTOP });
    const { page, problems } = watched;
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => page.getByLabel('Name, for everyone of your organization').inputValue()).toBe('shoes');
    await page.getByLabel('Name, for everyone of your organization').fill('Shoes that sell');
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.getByText('Saved as “Shoes that sell”.').waitFor();
    // A name that is taken is said, and the form stays.
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Name, for everyone of your organization').fill('shoes that SELL');
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.getByText('There is a saved search of this name already.').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Lists', exact: true }).click();
    await page.getByText('shoes · rank up to 5,000 · by best rank').waitFor();
    await inspectAtEverySize(watched);
    await page.setViewportSize(DESKTOP.viewport);
    await page.getByRole('button', { name: 'Rename Shoes that sell' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Shoes');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('link', { name: 'Shoes', exact: true }).click();
    await page.locator('.result-grid .grid-body [role=row]').first().waitFor();
    expect(page.url()).toBe(`${world.service.url}/?query=shoes&max_rank=5000&order_by=best_rank`);
    await page.goBack();
    await page.getByRole('button', { name: 'Delete Shoes' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('above the results of a').waitFor();
    expect(await ask('/v1/saved-searches', key)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
