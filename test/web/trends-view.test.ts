// The trend lists with their filters, and the new terms.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countAsked, isAscending, openWebWorld, PHONE, type WatchedPage, type WebWorld } from './web-world.ts';

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
    await expect.poll(() => page.locator('.mover-grid .change.is-down').count()).toBe(0);
    await page.getByRole('button', { name: 'Oct 2026' }).click();
    await expect
      .poll(() => address(watched))
      .toBe('/trends?threshold=1&direction=positive&order_by=current_rank&order_direction=ASC');
    await expect.poll(async () => isAscending(await numbersIn(watched, 'col-current'))).toBe(true);
    expect((await numbersIn(watched, 'col-current')).length).toBeGreaterThan(5);
    const asked = countAsked(watched, '/v1/trends/change-by');
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => address(watched)).toMatch(/threshold=10$/);
    await expect.poll(() => countAsked(watched, '/v1/trends/change-by')).toBe(asked + 1);
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
    await page.getByText('The filters leave no keyword.').waitFor();
    expect(address(watched)).toBe('/trends?threshold=1&query=shoes&max_rank=300&category=Gift+Cards');
    expect(failures).toEqual([]);
  });
});

describe('filters', () => {
  it('go along to social media, where they are in sight and can be cleared', async () => {
    await using watched = await world.open('/trends?threshold=1&min_rank=2&max_rank=40');
    const { page } = watched;
    await page.locator('.mover-grid .grid-body [role=row]').first().waitFor();
    await page.getByRole('button', { name: 'Social' }).click();
    await page.locator('.multiple').first().waitFor();
    await expect.poll(() => page.getByLabel('Rank from').inputValue()).toBe('2');
    await expect.poll(() => page.getByLabel('Rank up to').inputValue()).toBe('40');
    const count = async () => Number((await page.locator('.trend-count b').innerText()).replaceAll(',', ''));
    const narrowed = await count();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(count).toBeGreaterThan(narrowed);
    await expect.poll(() => page.getByLabel('Rank up to').inputValue()).toBe('');
    await expect.poll(() => page.getByRole('button', { name: 'Clear filters' }).count()).toBe(0);
    await expect.poll(() => address(watched)).toBe('/trends?threshold=1&list=social');
  });

  it('that only an address can hold are in sight too', async () => {
    await using watched = await world.open('/trends?list=social&query=boots&query=sandals');
    const { page } = watched;
    await page.getByRole('button', { name: 'Remove: with sandals' }).click();
    await expect.poll(() => address(watched)).toBe('/trends?list=social&query=boots');
    await expect.poll(() => page.getByLabel('With the words').inputValue()).toBe('boots');
  });
});

describe('a list without rows', () => {
  it('has no pager, and says why it is empty', async () => {
    await using watched = await world.open('/trends?threshold=1&query=nosuchwordatall');
    const { page } = watched;
    await page.getByText('The filters leave no keyword.').waitFor();
    await expect.poll(() => page.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
    await expect.poll(() => page.locator('main').innerText()).not.toContain('past the end');
    await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click();
    await page.locator('.mover-grid .grid-body [role=row]').first().waitFor();
  });

  it('leads back from a page past the end', async () => {
    await using watched = await world.open('/trends?threshold=1&offset=900000');
    const { page } = watched;
    await page.getByText('This page is past the end.').waitFor();
    await expect.poll(() => page.locator('.pager').innerText()).toMatch(/^[\d,]+ in all/);
    await page.getByRole('button', { name: 'Go to the first page' }).click();
    await page.locator('.mover-grid .grid-body [role=row]').first().waitFor();
  });
});

describe('new terms', () => {
  it('stand beside their ranks on a phone, star first', async () => {
    await using watched = await world.open('/trends?list=new', PHONE);
    const { page } = watched;
    const row = page.locator('.new-grid .grid-body [role=row]').first();
    await row.waitFor();
    const boxes = await Promise.all(
      ['.col-star', '.col-term', '.col-current'].map((cell) => row.locator(cell).boundingBox()),
    );
    const [star, term, rank] = boxes.map((box) => box ?? { x: 0, y: 0, width: 0, height: 0 });
    if (!star || !term || !rank) throw new Error('a cell is missing');
    expect(star.x + star.width).toBeLessThanOrEqual(term.x);
    expect(term.x + term.width).toBeLessThanOrEqual(rank.x);
    // Words have most of the row.
    expect(term.width).toBeGreaterThan(200);
  });

  it('are listed by rank', async () => {
    await using watched = await world.open('/trends?list=new&limit=50');
    const { page, problems, failures } = watched;
    await page.getByText('keywords for the first time').waitFor();
    const ranks = await numbersIn(watched, 'col-current');
    expect(ranks.length).toBeGreaterThan(0);
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    expect([problems, failures]).toEqual([[], []]);
  });
});

describe('social ranks', () => {
  it('are small multiples in the chosen order', async () => {
    await using watched = await world.open('/trends?list=social');
    const { page } = watched;
    await page.locator('.multiple').first().waitFor();
    await page.getByLabel('Sort by').selectOption({ label: 'Best rank now' });
    await expect.poll(() => address(watched)).toBe('/trends?list=social&order_by=end_rank&order_direction=ASC');
    const ranks = async () =>
      (await page.locator('.multiple-line b').allInnerTexts()).map((text) => Number(text.replaceAll(',', '')));
    await expect.poll(async () => isAscending(await ranks())).toBe(true);
    expect((await ranks()).length).toBeGreaterThan(5);
  });
});
