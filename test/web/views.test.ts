// What holds for every view: it is accessible in both colour schemes and sizes, asks nobody but its own server, and breaks
// nothing.
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATEGORY_BUCKETS } from '../../src/domain/category.ts';
import { CATEGORY_BUCKETS as WEB_CATEGORY_BUCKETS } from '../../web/parts/categories.ts';
import { HOSTILE_TERM, openWebWorld, type WatchedPage, type WebWorld } from './web-world.ts';

const DESKTOP = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Each view by its address, and what is there once it has loaded. */
const VIEWS: readonly (readonly [string, string])[] = [
  ['/', 'text=Climbing'],
  ['/?query=shoes&limit=50', '.result-grid .grid-body [role=row]'],
  ['/?query=shoes&type=weekly&order_by=45-2026&limit=50&brand=Acme&max_rank=500', 'text=No keyword matches'],
  ['/?query=shoes&order_by=10-2026&limit=50', '.result-grid.has-period .grid-body [role=row]'],
  ['/?query=shoes&page=0', 'text=must be an integer'],
  ['/keyword', 'text=Look at one keyword closely'],
  ['/keyword?term=running+shoes&term=sandals', '.uplot canvas'],
  [`/keyword?term=${encodeURIComponent(HOSTILE_TERM)}`, '.uplot canvas'],
  ['/trends?threshold=1&limit=50', '.mover-grid .grid-body [role=row]'],
  ['/trends?list=social&limit=20', '.multiple'],
  ['/tracked', 'text=Digests'],
  ['/account', 'text=Next slot at'],
  ['/periods', 'text=Retail search, monthly'],
];

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld();
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

async function violationsOf({ page }: WatchedPage): Promise<unknown> {
  await page.evaluate(axe.source);
  const result = await page.evaluate<axe.AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return result.violations.map(({ id, nodes }) => [id, nodes.map(({ html, any }) => [html, any[0]?.message])]);
}

/** Pixels by which anything stands over the left or right edge. */
async function overhangOf({ page }: WatchedPage): Promise<number> {
  const boxes = await page.getByRole('dialog').or(page.locator('main')).all();
  const width = page.viewportSize()?.width ?? 0;
  const over = await Promise.all(
    boxes.map(async (box) => {
      const { x, width: boxWidth } = (await box.boundingBox()) ?? { x: 0, width: 0 };
      return Math.max(0, -x, x + boxWidth - width);
    }),
  );
  const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  return Math.max(0, scrolled, ...over);
}

describe.each(VIEWS)('%s', (path, loaded) => {
  it.each([
    ['light on a desk', { ...DESKTOP, colorScheme: 'light' }],
    ['dark on a phone', { ...PHONE, colorScheme: 'dark' }],
  ] as const)('is accessible, quiet and keeps to itself, %s', async (_name, options) => {
    await using watched = await world.open(path, options);
    const { page, problems } = watched;
    await page.locator(loaded).first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await violationsOf(watched)).toEqual([]);
    expect(problems).toEqual([]);
    expect(await page.title()).toMatch(/ · keyrank$/);
    expect(await overhangOf(watched)).toBe(0);
    for (const button of await page.getByRole('button', { name: /^(Copy as|Export|Add keywords|Category)$/ }).all()) {
      await button.click();
      await page.getByRole('dialog').waitFor();
      expect(await overhangOf(watched), await button.innerText()).toBe(0);
      await page.keyboard.press('Escape');
    }
    expect(problems).toEqual([]);
  });
});

describe('signing in', () => {
  it('is accessible, and asks nothing before there is a key', async () => {
    await using watched = await world.open('/trends', { ...DESKTOP, key: null });
    await watched.page.getByLabel('API key').waitFor();
    expect(await violationsOf(watched)).toEqual([]);
    expect(watched.asked).toEqual([]);
    expect(watched.problems).toEqual([]);
  });
});

it('offers the categories that the API knows', () => {
  expect(WEB_CATEGORY_BUCKETS).toEqual(CATEGORY_BUCKETS);
});
