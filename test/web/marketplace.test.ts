// With data of a second marketplace there is a choice, which goes with the reader from view to view.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWebWorld, type WebWorld } from './web-world.ts';

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld();
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

it('is chosen at the top, holds in every view and in what is copied, and stands in the address', async () => {
  {
    await using alone = await world.open('/periods');
    await alone.page.getByText('Retail search, monthly').waitFor();
    await expect.poll(() => alone.page.getByLabel('Marketplace', { exact: true }).count()).toBe(0);
  }
  const rows = ['09-2026,running kettle,2', '10-2026,running kettle,1', '10-2026,kettle descaler,2'];
  const lines = rows.map((row) => `monthly,${row}`);
  await world.service.publish('DE_ranks.csv', ['period_type,period,search_term,rank', ...lines, ''].join('\n'));

  await using watched = await world.open('/?query=running&order_by=latest_rank');
  const { page } = watched;
  const terms = page.locator('.result-grid .grid-body .col-term a');
  await expect.poll(() => terms.first().innerText()).toContain('running');
  await page.getByLabel('Marketplace', { exact: true }).selectOption('DE');
  await expect.poll(() => terms.allInnerTexts()).toEqual(['running kettle']);
  expect(new URL(page.url()).searchParams.get('marketplace')).toBe('DE');

  await terms.first().click();
  await page.locator('.chart svg').first().waitFor();
  expect(new URL(page.url()).searchParams.get('marketplace')).toBe('DE');
  await page.getByRole('button', { name: 'Copy as' }).click();
  for (const recipe of await page.locator('.copy-panel pre').allInnerTexts())
    expect(recipe).toMatch(/marketplace\W+DE/);
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'Data' }).click();
  await page.getByText('Retail search, monthly').waitFor();
  await expect.poll(() => page.locator('.period-groups section, .period-groups .panel').count()).toBe(1);

  await page.getByLabel('Marketplace', { exact: true }).selectOption('US');
  await page.getByText('Social media, monthly').waitFor();
  await page.goBack();
  await expect.poll(() => page.getByLabel('Marketplace', { exact: true }).inputValue()).toBe('DE');
  expect(watched.failures).toEqual([]);
  expect(watched.problems).toEqual([]);
});
