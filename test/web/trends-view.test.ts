// The trend lists with their filters, and the new terms.
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countAsked, eventually, isAscending, openWebWorld, type WatchedPage, type WebWorld } from './web-world.ts';

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld();
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

function address({ page }: WatchedPage): string {
  return page.url().slice(world.service.url.length);
}

async function numbersIn({ page }: WatchedPage, column: string): Promise<number[]> {
  await page.locator('.grid[aria-busy=false]').waitFor();
  const texts = await page.locator(`.grid-body .${column}`).allInnerTexts();
  return texts.map((text) => Number(text.replaceAll(/[^0-9]/g, '')));
}

describe('movers', () => {
  it('follow the direction, the threshold and the order, all of them in the address', async () => {
    await using watched = await world.open('/trends?threshold=1');
    const { page } = watched;
    await page.locator('.mover-grid .grid-body [role=row]').first().waitFor();
    await page.getByRole('button', { name: 'Up', exact: true }).click();
    await eventually(() => page.locator('.mover-grid .change.is-down').count()).toBe(0);
    await page.getByRole('button', { name: 'Oct 2026' }).click();
    await expect
      .poll(() => address(watched))
      .toBe('/trends?threshold=1&direction=positive&order_by=current_rank&order_direction=ASC');
    await eventually(async () => isAscending(await numbersIn(watched, 'col-current'))).toBe(true);
    expect((await numbersIn(watched, 'col-current')).length).toBeGreaterThan(5);
    const asked = countAsked(watched, '/v1/trends/change-by');
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await eventually(() => address(watched)).toMatch(/threshold=10$/);
    await eventually(() => countAsked(watched, '/v1/trends/change-by')).toBe(asked + 1);
  });

  it('show falls with a minus, so that an order by percent can be followed', async () => {
    await using watched = await world.open('/trends?threshold=1&direction=negative&order_by=change_percentage');
    const { page } = watched;
    await page.locator('.mover-grid .grid-body [role=row]').first().waitFor();
    const percents = await page.locator('.mover-grid .grid-body .col-percent').allInnerTexts();
    expect(percents.length).toBeGreaterThan(0);
    expect(percents.filter((text) => !/^−[0-9,.]+%$/.test(text))).toEqual([]);
  });

  it('are narrowed by words, category and rank', async () => {
    await using watched = await world.open('/trends?threshold=1&query=shoes&max_rank=300');
    const { page, failures } = watched;
    await page.locator('.mover-grid .grid-body [role=row]').first().waitFor();
    const terms = await page.locator('.mover-grid .grid-body .col-term').allInnerTexts();
    expect(terms.filter((term) => !/shoe/i.test(term))).toEqual([]);
    expect(Math.max(...(await numbersIn(watched, 'col-current')))).toBeLessThanOrEqual(300);
    await page.getByLabel('Category').selectOption('Gift Cards');
    await page.getByText('Nothing moved that far.').waitFor();
    expect(address(watched)).toBe('/trends?threshold=1&query=shoes&max_rank=300&category=Gift+Cards');
    expect(failures).toEqual([]);
  });
});

describe('new terms', () => {
  it('are listed by rank, accessibly', async () => {
    await using watched = await world.open('/trends?list=new&limit=50');
    const { page, problems, failures } = watched;
    await page.getByText('keywords for the first time').waitFor();
    const ranks = await numbersIn(watched, 'col-current');
    expect(ranks.length).toBeGreaterThan(0);
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    await page.evaluate(axe.source);
    const result = await page.evaluate<axe.AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
    expect(result.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect([problems, failures]).toEqual([[], []]);
  });
});

describe('social ranks', () => {
  it('are small multiples in the chosen order', async () => {
    await using watched = await world.open('/trends?list=social');
    const { page } = watched;
    await page.locator('.multiple').first().waitFor();
    await page.getByLabel('Sort by').selectOption({ label: 'Best rank now' });
    await eventually(() => address(watched)).toBe('/trends?list=social&order_by=end_rank&order_direction=ASC');
    const ranks = async () =>
      (await page.locator('.multiple-line b').allInnerTexts()).map((text) => Number(text.replaceAll(',', '')));
    await eventually(async () => isAscending(await ranks())).toBe(true);
    expect((await ranks()).length).toBeGreaterThan(5);
  });
});
