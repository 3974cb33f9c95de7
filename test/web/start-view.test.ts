// What one sees first: the bar on top, the cards of the start page, and an address that leads nowhere.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DESKTOP, openWebWorld, PHONE, TABLET, type WebWorld } from './web-world.ts';

const LONG_SEARCH = 'waterproof insulated hiking boots for women with wide feet and high arches';

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld();
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

describe('the cards', () => {
  it.each([DESKTOP, TABLET, PHONE])('cut no term, %o', async (size) => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    await world.service.request(`/v1/search/keywords?${new URLSearchParams({ query: LONG_SEARCH })}`, { key });
    await using watched = await world.open('/', { ...size, key });
    const { page } = watched;
    await page.getByRole('link', { name: LONG_SEARCH }).waitFor();
    await page.locator('.mini-list .change').first().waitFor();
    const cut = await page.evaluate(`[...document.querySelectorAll('.mini-list a')].filter((link) =>
      link.scrollWidth > link.clientWidth || link.scrollHeight > link.clientHeight + 1).map((link) => link.textContent)`);
    expect(cut).toEqual([]);
  });

  it('name the period that moves are counted from', async () => {
    await using watched = await world.open('/', DESKTOP);
    await expect.poll(() => watched.page.getByText('since Sep 2026').count()).toBe(2);
  });

  it('list each recent search once, however it was ordered and paged, and tell apart what differs', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    const searches = [
      'keywords?query=shoes&limit=100',
      'keywords?query=shoes&limit=100&page=2',
      'keywords?query=Shoes&limit=100&order_by=latest_rank',
      'keywords?query=shoes&limit=50',
      'keywords?query=shoes&max_rank=500',
      'keywords?query=shoes&type=weekly&brand=Acme',
      'keyword?term=shoes',
    ];
    for (const search of searches) await world.service.request(`/v1/search/${search}`, { key });
    await using watched = await world.open('/', { ...DESKTOP, key });
    const { page } = watched;
    const list = page
      .locator('.panel', { has: page.getByRole('heading', { name: 'Recent searches' }) })
      .locator('li a');
    await expect
      .poll(async () => (await list.allInnerTexts()).map((text) => text.toLowerCase()))
      .toEqual(['shoes one keyword', 'shoes weekly · brand acme', 'shoes rank up to 500', 'shoes']);
    await list.nth(2).click();
    await page.getByRole('button', { name: 'Remove: rank up to 500' }).waitFor();
  });
});

describe('the bar', () => {
  it.each([
    ['studio', TABLET],
    ['studio', DESKTOP],
    ['studio', PHONE],
  ] as const)('keeps the name and the quota on one line, %s %o', async (plan, size) => {
    const key = await world.service.makeKey({ subscription: { plan } });
    await using watched = await world.open('/', { ...size, key });
    const { page } = watched;
    await page.locator('.quota b').waitFor();
    const heights = await page.evaluate<number[]>(
      `['.brand > span', '.quota > span'].map((name) => document.querySelector(name).getBoundingClientRect().height)`,
    );
    expect(Math.max(...heights)).toBeLessThan(30);
    const overlap = await page.evaluate(`(() => {
      const boxes = ['.brand', '.topbar nav', '.topbar-end'].map((name) => document.querySelector(name).getBoundingClientRect());
      return boxes.some((a, i) => boxes.some((b, k) => k > i && a.left < b.right - 1 && b.left < a.right - 1 &&
        a.top < b.bottom - 1 && b.top < a.bottom - 1));
    })()`);
    expect(overlap).toBe(false);
  });

  it('hints at a key only where there are keys and room', async () => {
    for (const [size, isShown] of [
      [DESKTOP, true],
      [{ viewport: PHONE.viewport }, false],
      [PHONE, false],
    ] as const) {
      const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
      await using watched = await world.open('/', { ...size, key });
      const { page } = watched;
      await page.getByText('What you search for is listed here.').waitFor();
      await expect.poll(() => page.locator('.key-hint').isVisible()).toBe(isShown);
      await expect.poll(() => page.getByText('to begin').isVisible()).toBe(isShown);
    }
  });
});

describe('an address that leads nowhere', () => {
  it('is a page with the ways on in a browser, signed in or not, and stays JSON for programs', async () => {
    for (const key of [world.key, null]) {
      await using watched = await world.open('/nothing/here?x=1', { ...DESKTOP, key });
      const { page } = watched;
      await page.getByText('There is nothing at this address.').waitFor();
      await page.getByText('/nothing/here').waitFor();
      expect(watched.failures).toEqual(['404 /nothing/here?x=1']);
      await page.getByRole('link', { name: 'Search keywords' }).click();
      await page
        .getByText(key ? 'Climbing' : 'Sign in')
        .first()
        .waitFor();
      expect(new URL(page.url()).pathname).toBe('/');
      expect(watched.problems).toEqual([]);
    }
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const answer = await world.service.request('/nothing/here', { headers });
      expect([answer.status, answer.json?.error.code]).toEqual([404, 'NOT_FOUND']);
    }
    for (const path of ['/v1/nothing', '/assets/nothing.js', '/mcp/nothing']) {
      const answer = await world.service.request(path, { headers: { accept: 'text/html' } });
      expect([answer.status, answer.json?.error.code], path).toEqual([404, 'NOT_FOUND']);
    }
  });
});
