// What a reader without a key sees of a link, from its making on the page to its end.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectAtEverySize } from './inspect.ts';
import { DESKTOP, openWebWorld, PHONE, type WebWorld } from './web-world.ts';

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld();
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

describe('a link', () => {
  it('is made above a search, opened by a stranger on a phone, and ended under Lists', async () => {
    await using watched = await world.open('/?query=shoes', DESKTOP);
    const { page, problems } = watched;
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Shoes for you');
    await page.getByLabel('Ends after').selectOption({ label: 'a week' });
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = await page.getByLabel('The link, which is shown only now').inputValue();
    expect(link).toMatch(/\/s\/krs_[0-9A-Za-z]{36}$/);

    await using stranger = await world.open(new URL(link).pathname, { key: null, ...PHONE });
    await stranger.page.getByRole('heading', { name: 'Shoes for you' }).waitFor();
    await stranger.page.getByText('Shared by').waitFor();
    await stranger.page.locator('.rank-table tbody tr').nth(1).waitFor();
    await expect.poll(() => stranger.page.getByRole('navigation').count()).toBe(0);
    await inspectAtEverySize(stranger);
    expect([stranger.problems, stranger.failures]).toEqual([[], []]);

    await page.goto(`${world.service.url}/lists`);
    await page.getByRole('button', { name: 'Delete Shoes for you' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Press Share above a keyword').waitFor();
    expect(problems).toEqual([]);
    await stranger.page.reload();
    await stranger.page.getByRole('heading', { name: 'This link has ended.' }).waitFor();
  });

  it('shows a chart with all its forms, and a list; a reader who is signed in is not asked for their key', async () => {
    const share = async (body: object) => {
      const sent = { method: 'POST', key: world.key, body: JSON.stringify(body) };
      return (await world.service.request('/v1/shares', sent)).json.path as string;
    };
    await using chart = await world.open(await share({ chart: { terms: ['running shoes', 'sandals'] } }), DESKTOP);
    await chart.page.getByRole('img', { name: /^Search rank: running shoes, sandals/ }).waitFor();
    for (const name of ['By year', 'Top three']) await chart.page.getByText(name, { exact: true }).click();
    await chart.page.locator('.who-list li').first().waitFor();
    expect([chart.problems, chart.failures]).toEqual([[], []]);
    const { id } = (
      await world.service.request('/v1/lists', { method: 'POST', key: world.key, body: '{"name":"Mine"}' })
    ).json.data;
    await world.service.request(`/v1/lists/${id}/items`, {
      ...{
        method: 'POST',
        key: world.key,
        body: JSON.stringify({ items: [{ search_term: 'sandals', notes: 'warm' }] }),
      },
    });
    await using list = await world.open(await share({ list_id: id }), DESKTOP);
    await list.page.getByRole('rowheader', { name: /^sandals/ }).waitFor();
    expect([list.problems, list.failures]).toEqual([[], []]);
  });
});
