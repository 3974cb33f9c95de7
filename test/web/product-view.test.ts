// Products and brands: from the search box to their keywords, shares and files.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DESKTOP, openWebWorld, PHONE, type WatchedPage, type WebWorld } from './web-world.ts';

const HEADER = [
  'Search Frequency Rank,Search Term',
  ...[1, 2, 3].map((n) => `Top Clicked Brand #${n}`),
  ...[1, 2, 3].map((n) => `Top Clicked Category #${n}`),
  ...[1, 2, 3].flatMap((n) =>
    ['ASIN', 'Product Title', 'Click Share', 'Conversion Share'].map((name) => `Top Clicked Product #${n}: ${name}`),
  ),
  'Reporting Date',
].join(',');
const [FIRST, SECOND, THIRD] = ['B0AAAAAAA1', 'B0AAAAAAA2', 'B0AAAAAAA3'];
const PRODUCTS: Readonly<Record<string, string>> = {
  1: `${FIRST},First lamp,40,20`,
  2: `${SECOND},Second lamp,25,50`,
  3: `${THIRD},Third lamp,10,5`,
};
/** Of each month: rank, keyword, and its products by their places. */
const MONTHS: Readonly<Record<string, readonly (readonly [number, string, string])[]>> = {
  August: [
    [1, 'desk lamp', '123'],
    [2, 'floor lamp', '213'],
    [3, 'table lamp', '231'],
  ],
  September: [
    [1, 'desk lamp', '123'],
    [2, 'floor lamp', '213'],
    [3, 'old lamp', '123'],
  ],
  October: [
    [1, 'desk lamp', '213'],
    [2, 'floor lamp', '123'],
    [3, 'new lamp', '132'],
    [4, 'wall lamp', '23'],
  ],
};
const LAST_DAYS: Readonly<Record<string, string>> = { August: '08_31', September: '09_30', October: '10_31' };

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld(async (service) => {
    for (const [month, rows] of Object.entries(MONTHS)) {
      const day = LAST_DAYS[month] ?? '';
      const lines = rows.map(([rank, term, places]) => {
        const products = [0, 1, 2].map((i) => PRODUCTS[places[i] ?? ''] ?? ',,,');
        return `${rank},${term},Zeta,Acme & Söhne/2,,Lighting,,,${products},2026-${day.replace('_', '-')}`;
      });
      const head = `Reporting Range=["Monthly"],Select month=["${month} 2026"],Country=["US"]`;
      const report = [head, HEADER, ...lines, ''].join('\n');
      await service.publish(`US_Top_Search_Terms_Simple_Month_2026_${day}.csv`, report);
    }
    await service.publish('weeks.csv', 'period_type,period,search_term,rank\nweekly,46-2026,desk lamp,1\n');
  });
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

const addressOf = ({ page }: WatchedPage) => page.url().slice(world.service.url.length);
const rowsOf = ({ page }: WatchedPage) => page.locator('.held-grid .grid-body [role=row]');

async function textOf(watched: WatchedPage, button: string): Promise<string> {
  const { page } = watched;
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()]);
  return await readFile(await file.path(), 'utf8');
}

it('leads from an ASIN in the search box to the keywords of the product, which can be filtered, ordered and saved', async () => {
  await using watched = await world.open('/', DESKTOP);
  const { page } = watched;
  await page.getByRole('combobox', { name: 'Search keywords' }).fill(` ${FIRST.toLowerCase()} `);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'First lamp' }).waitFor();
  expect(addressOf(watched)).toBe(`/product?asin=${FIRST}`);
  await expect
    .poll(() => page.getByRole('link', { name: 'Open at Amazon.com' }).getAttribute('href'))
    .toBe(`https://www.amazon.com/dp/${FIRST}`);
  await expect.poll(() => rowsOf(watched).count()).toBe(3);
  // Two charts: three places as areas, and the share as a line.
  await expect.poll(() => page.locator('.plot-area').count()).toBe(3);
  await expect.poll(() => page.locator('.plot-line').count()).toBe(1);
  await page.locator('.readout', { hasText: /First\s*2/ }).waitFor();
  const [desk, floor, added] = await rowsOf(watched).allInnerTexts();
  expect([desk, floor, added].map((text) => text?.split(/\s*\n\s*/).filter((word) => word !== 'place'))).toEqual(
    [
      ['desk lamp', '1', '2', 'was 1', '40.0%', expect.anything(), '20.0%', 'Aug 2026'].map((each) => each),
      ['floor lamp', '2', '1', 'was 2', '40.0%', expect.anything(), '20.0%', 'Aug 2026'],
      ['new lamp', '3', '1', 'entered', '40.0%', '–', '20.0%', 'Oct 2026'],
    ].map((row) => expect.arrayContaining(row.filter((each) => typeof each === 'string'))),
  );

  await page.getByRole('button', { name: 'Left 1' }).click();
  await page.getByText('in the top three in Sep 2026, no longer in Oct 2026').waitFor();
  await expect.poll(() => rowsOf(watched).locator('.col-term').allInnerTexts()).toEqual(['old lamp']);
  await page.getByRole('button', { name: 'All', exact: true }).last().click();
  await expect.poll(() => rowsOf(watched).count()).toBe(4);
  await page.getByRole('button', { name: 'Since' }).click();
  await expect.poll(() => addressOf(watched)).toContain('order_by=since');
  await page.getByLabel('Filter keywords by words').fill('desk');
  await page.keyboard.press('Enter');
  await expect.poll(() => rowsOf(watched).locator('.col-term').allInnerTexts()).toEqual(['desk lamp']);
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'CSV' }).click();
  expect((await textOf(watched, 'Download 1 row')).split('\n')[1]).toMatch(/^desk lamp,1,2,/);

  await page.getByRole('button', { name: `Track ${FIRST}` }).click();
  await page.getByText(`Tracking ${FIRST}`).waitFor();
  await expect
    .poll(() => page.getByRole('button', { name: `Track ${FIRST}` }).getAttribute('aria-pressed'))
    .toBe('true');
  expect([watched.problems, watched.failures]).toEqual([[], []]);
});

it('takes lists and links as they are pasted, and compares: shared, any, gap', async () => {
  await using watched = await world.open('/', DESKTOP);
  const { page } = watched;
  const box = page.getByRole('combobox', { name: 'Search keywords' });
  await box.focus();
  const pasted = `${SECOND},\nhttps://www.amazon.com/Some-Lamp/dp/${FIRST}/ref=sr_1_1?keywords=a,b&tag=x\r\n${THIRD.toLowerCase()}`;
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', ${JSON.stringify(pasted)});
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
  })()`);
  await expect.poll(() => box.inputValue()).toBe(`${SECOND} ${FIRST} ${THIRD}`);
  await page.keyboard.press('Enter');
  const rows = page.locator('.side-by-side tbody tr');
  await expect.poll(() => rows.locator('th').allInnerTexts()).toEqual(['desk lamp', 'floor lamp', 'new lamp']);
  await expect.poll(() => page.locator('.plot-line').count()).toBe(6);
  await page.getByRole('button', { name: 'Of any' }).click();
  await expect.poll(() => rows.count()).toBe(4);
  await expect.poll(async () => (await rows.last().innerText()).replace(/\s+/g, ' ')).toContain('wall lamp 4');

  // What the first one lacks.
  await page.goto(`${world.service.url}/product?asin=${FIRST}&asin=${SECOND}&mode=gap`);
  await expect.poll(() => rows.locator('th').allInnerTexts()).toEqual(['wall lamp']);
  await page.getByRole('button', { name: `Remove ${FIRST}` }).click();
  await page.getByRole('heading', { level: 1, name: 'Second lamp' }).waitFor();
  await page.getByLabel('Compare with products').fill('no product');
  await page.keyboard.press('Enter');
  await page.getByText('This is no ASIN and no link to a product.').waitFor();
  expect([watched.problems, watched.failures]).toEqual([[], []]);
});

describe('a product that no report names', () => {
  it('is said to be in none of the months that can be seen, with ways on', async () => {
    await using watched = await world.open('/product?asin=B0ZZZZZZZ9', PHONE);
    const { page } = watched;
    await page.getByText('No monthly report that you can see names B0ZZZZZZZ9.').waitFor();
    await page.getByText('None of the 3 months that you can see has it.').waitFor();
    await page.getByRole('button', { name: 'Look in the weekly reports' }).click();
    await page.getByText('No weekly report that you can see names B0ZZZZZZZ9.').waitFor();
    await page.getByText('The one week that you can see does not have it.').waitFor();
    await page.getByRole('link', { name: 'Search keywords with “B0ZZZZZZZ9”' }).waitFor();
  });

  it('is told apart from one that could not be asked for', async () => {
    await using watched = await world.open('/', DESKTOP);
    const { page } = watched;
    const error = {
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'The organization has used its 100 searches of the last hour.',
    };
    const headers = { 'retry-after': '3000' };
    await page.route('**/v1/products/**', (route) =>
      route.fulfill({ status: 429, headers, json: { data: null, error } }),
    );
    await page.goto(`${world.service.url}/product?asin=${FIRST}`);
    await page.getByText(error.message).waitFor();
    await page.getByText(/It can be tried again at \d\d:\d\d/).waitFor();
    await expect.poll(() => page.locator('main').innerText()).not.toContain('No monthly report');
  });
});

it('leads from a keyword to its brands, which have places and no shares', async () => {
  await using watched = await world.open('/keyword?term=desk+lamp', DESKTOP);
  const { page } = watched;
  await expect
    .poll(() => page.locator('.product-table').getByRole('link', { name: 'First lamp' }).getAttribute('href'))
    .toBe(`/product?asin=${FIRST}`);
  await page.locator('.top-brands').getByRole('link', { name: 'Acme & Söhne/2' }).click();
  await page.getByRole('heading', { level: 1, name: 'Acme & Söhne/2' }).waitFor();
  await expect.poll(() => rowsOf(watched).count()).toBe(4);
  await expect.poll(() => page.locator('.plot-area').count()).toBe(3);
  await expect.poll(() => page.locator('.plot-line').count()).toBe(0);
  expect(watched.problems).toEqual([]);
});
