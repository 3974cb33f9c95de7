// What sellers do, each job in as many steps as it takes, and the tools beside the lists that they take for it.
import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWithOpenpyxl } from '../support/spreadsheet-programs.ts';
import { inspectAtEverySize } from './inspect.ts';
import { publishTwoYears } from './two-years.ts';
import { countAsked, DESKTOP, openWebWorld, PHONE, TABLET, type WatchedPage, type WebWorld } from './web-world.ts';

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld(publishTwoYears);
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

const newKey = () => world.service.makeKey({ subscription: { plan: 'studio' } });
const searchesOf = (watched: WatchedPage) =>
  countAsked(watched, '/v1/search/keywords') + countAsked(watched, '/v1/search/roots');

/** A hand on the page: every click, choice and text counts as one step. */
function handOf({ page }: WatchedPage) {
  let steps = 0;
  const step = async (act: Promise<unknown>) => {
    await act;
    steps += 1;
  };
  return {
    click: (at: Locator) => step(at.click()),
    press: (key: string) => step(page.keyboard.press(key)),
    type: (at: Locator, text: string) => step(at.fill(text)),
    choose: (at: Locator, label: string) => step(at.selectOption({ label })),
    steps: () => steps,
  };
}

const rowOf = ({ page }: WatchedPage, term: string) =>
  page.locator('.grid-body [role=row]').filter({ has: page.getByRole('link', { name: term, exact: true }) });
const termsIn = ({ page }: WatchedPage) => page.locator('.grid-body .col-term').allInnerTexts();

async function downloadOf({ page }: WatchedPage, act: () => Promise<unknown>) {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  const bytes = await readFile(await download.path());
  return { name: download.suggestedFilename(), bytes, text: bytes.toString('utf8') };
}

describe('a job', () => {
  it('rising keywords into a spreadsheet: four steps and no search', async () => {
    await using watched = await world.open('/', DESKTOP);
    const { page } = watched;
    const hand = handOf(watched);
    await hand.click(page.getByRole('link', { name: 'Trends', exact: true }));
    await hand.click(page.getByRole('button', { name: 'Up', exact: true }));
    await rowOf(watched, 'rain boots women').waitFor();
    await hand.click(page.getByRole('button', { name: 'Export' }));
    const { name, bytes } = await downloadOf(watched, () =>
      hand.click(page.getByRole('button', { name: /^Download/ })),
    );
    expect(name).toMatch(/\.xlsx$/);
    const terms = (await readWithOpenpyxl(bytes)).rows.map(([term]) => term);
    expect(terms).toContain('rain boots women');
    expect(terms).not.toContain('hiking boots');
    expect(hand.steps()).toBe(4);
    expect(searchesOf(watched)).toBe(0);
    expect(watched.problems).toEqual([]);
  });

  it('a niche out of words and filters: seven steps', async () => {
    await using watched = await world.open('/', { ...DESKTOP, key: await newKey() });
    const { page } = watched;
    const hand = handOf(watched);
    await hand.type(page.getByRole('combobox', { name: 'Search keywords' }), 'boots');
    await hand.press('Enter');
    await rowOf(watched, 'hiking boots').waitFor();
    // Every keyword of one niche: the roots say which words there are.
    await hand.click(page.getByRole('button', { name: 'Roots' }));
    const root = page
      .locator('.roots tbody tr')
      .filter({ has: page.getByRole('button', { name: 'rain', exact: true }) });
    await root.waitFor();
    await expect.poll(async () => (await root.locator('td').allInnerTexts())[0]).toBe('2');
    expect(searchesOf(watched)).toBe(2);
    await hand.click(root.getByRole('button'));
    await expect.poll(() => termsIn(watched)).toEqual(['rain boots women', 'rain boots']);
    await hand.click(page.getByRole('button', { name: 'More', exact: true }));
    await hand.type(page.getByRole('group', { name: 'Year on year' }).getByLabel('from'), '2000');
    await hand.click(page.getByRole('button', { name: 'Apply' }));
    await expect.poll(() => termsIn(watched)).toEqual(['rain boots women']);
    await page.getByRole('button', { name: 'Remove: year on year from 2,000' }).waitFor();
    expect(new URL(page.url()).search).toBe('?query=boots+rain&min_year_change=2000');
    expect(hand.steps()).toBe(7);
    expect(watched.problems).toEqual([]);
  });

  it('two keywords compared over a year: six steps and one search', async () => {
    await using watched = await world.open('/', { ...DESKTOP, key: await newKey() });
    const { page } = watched;
    const hand = handOf(watched);
    await hand.type(page.getByRole('combobox', { name: 'Search keywords' }), 'boots');
    await hand.press('Enter');
    await rowOf(watched, 'snow boots').waitFor();
    await hand.choose(page.getByLabel('Change since'), 'Oct 2025, a year ago');
    await expect.poll(() => rowOf(watched, 'rain boots').locator('.col-change').textContent()).toContain('1,200');
    await hand.click(page.getByRole('checkbox', { name: 'Select snow boots' }));
    await hand.click(page.getByRole('checkbox', { name: 'Select hiking boots' }));
    expect(countAsked(watched, '/v1/search/keywords')).toBe(1);
    await hand.click(page.getByRole('button', { name: 'Compare' }));
    await page.locator('.comparison tbody tr').nth(1).waitFor();
    expect(new URL(page.url()).searchParams.getAll('term').toSorted()).toEqual(['hiking boots', 'snow boots']);
    expect(countAsked(watched, '/v1/search/keywords')).toBe(1);
    expect(hand.steps()).toBe(6);
  });

  it('what peaks in the next weeks, and a watch on it: seven steps', async () => {
    await using watched = await world.open('/', { ...DESKTOP, key: await newKey() });
    const { page } = watched;
    const hand = handOf(watched);
    await hand.click(page.getByRole('link', { name: 'Trends' }));
    await hand.click(page.getByRole('button', { name: 'Seasonal' }));
    await rowOf(watched, 'snow boots').waitFor();
    // June is far away.
    await expect.poll(async () => (await termsIn(watched)).toSorted()).toEqual(['kids snow boots', 'snow boots']);
    await expect.poll(() => rowOf(watched, 'snow boots').locator('.col-peak').innerText()).toBe('November');
    await expect.poll(() => rowOf(watched, 'snow boots').locator('.col-weeks').innerText()).toBe('now');
    await expect.poll(() => rowOf(watched, 'snow boots').locator('.col-strength').innerText()).toBe('×10.0');
    await hand.click(page.getByRole('checkbox', { name: 'Select all rows of this page' }));
    await hand.click(page.getByRole('button', { name: 'Track', exact: true }).last());
    await page.getByText('Tracking 2 more.').waitFor();
    await expect.poll(() => page.locator('.selection-bar').count()).toBe(0);
    expect(hand.steps()).toBe(4);
    await inspectAtEverySize(watched);
    // The month in place of the weeks.
    await page.getByLabel('Peak in').selectOption({ label: 'June' });
    await expect.poll(() => termsIn(watched)).toEqual(['garden hose']);
    expect(new URL(page.url()).search).toBe('?list=seasonal&peak_month=6');
    expect(searchesOf(watched)).toBe(0);
    await hand.click(page.getByRole('link', { name: 'Tracked' }));
    await hand.click(page.getByRole('button', { name: 'No alert for kids snow boots' }));
    await hand.click(page.getByRole('button', { name: 'Switch the alert on' }));
    await page.getByRole('button', { name: 'latest rank 500 or better for kids snow boots' }).waitFor();
    expect(hand.steps()).toBe(7);
    expect(searchesOf(watched)).toBe(0);
    // Their products come when they are asked for.
    await page.getByRole('button', { name: 'Top products 1 search' }).click();
    await rowOf(watched, 'kids snow boots').getByRole('link', { name: 'Insulated winter boots' }).waitFor();
    expect(searchesOf(watched)).toBe(1);
    await expect.poll(() => page.locator('.tracked-grid').innerText()).not.toContain('…');
    await inspectAtEverySize(watched);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'CSV' }).click();
    const { text } = await downloadOf(watched, () => page.getByRole('button', { name: 'Download 2 rows' }).click());
    expect(text).toContain('kids snow boots');
    expect(watched.problems).toEqual([]);
  });

  it("a product's keywords and its share over time: two steps, and two more to see what it won and to track it", async () => {
    await using watched = await world.open('/', { ...DESKTOP, key: await newKey() });
    const { page } = watched;
    const hand = handOf(watched);
    await hand.type(
      page.getByRole('combobox', { name: 'Search keywords' }),
      'https://www.amazon.com/dp/B0BOOTAAA1?th=1',
    );
    await hand.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Insulated winter boots' }).waitFor();
    await page.getByText('68 keywords').first().waitFor();
    await rowOf(watched, 'desk lamp').getByText('40.0%').waitFor();
    await page.locator('.plot-line').waitFor();
    await expect.poll(() => page.locator('.plot-area').count()).toBe(3);
    expect(hand.steps()).toBe(2);
    await hand.click(page.getByRole('button', { name: 'Entered 61' }));
    await rowOf(watched, 'boot dryer').getByText('entered').waitFor();
    await expect.poll(() => rowOf(watched, 'desk lamp').count()).toBe(0);
    await hand.click(page.getByRole('button', { name: 'Track B0BOOTAAA1' }));
    await page.getByText('Tracking B0BOOTAAA1').waitFor();
    expect(hand.steps()).toBe(4);
    expect(searchesOf(watched)).toBe(0);
    // It stands beside the tracked keywords, with what it won.
    await page.getByRole('link', { name: 'Tracked', exact: true }).click();
    const product = page.getByRole('region', { name: 'Tracked products' });
    await product.getByText('+61 entered').waitFor();
    await product.getByRole('link', { name: 'Insulated winter boots' }).click();
    await page.getByRole('heading', { level: 1, name: 'Insulated winter boots' }).waitFor();
    expect([watched.problems, watched.failures]).toEqual([[], []]);
  });
});

describe('columns', () => {
  it('are chosen, remembered by the browser, sorted by, and leave what they are made of alone', async () => {
    await using watched = await world.open('/?query=boots', { ...DESKTOP, key: await newKey() });
    const { page } = watched;
    await rowOf(watched, 'rain boots').waitFor();
    await expect.poll(() => rowOf(watched, 'rain boots').locator('.col-year').textContent()).toContain('1,200');
    await expect.poll(() => rowOf(watched, 'rain boots').locator('.col-concentration').innerText()).toBe('75.0%');
    await expect.poll(() => page.locator('.col-conversion').count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    for (const name of ['Conversion to click', 'Title gap', 'First seen'])
      await page.getByRole('checkbox', { name }).check();
    for (const name of ['Brands', 'Top products', 'Average']) await page.getByRole('checkbox', { name }).uncheck();
    await page.keyboard.press('Escape');
    await expect.poll(() => rowOf(watched, 'rain boots').locator('.col-conversion').innerText()).toBe('1.00');
    await expect.poll(() => rowOf(watched, 'rain boots').locator('.col-gap').innerText()).toBe('no');
    await expect.poll(() => rowOf(watched, 'hiking boots').locator('.col-gap').innerText()).toBe('yes');
    await expect.poll(() => rowOf(watched, 'rain boots').locator('.col-first').innerText()).toBe('Sep 2024');
    expect(searchesOf(watched)).toBe(1);
    await page.getByRole('columnheader', { name: 'Year on year' }).getByRole('button').click();
    await expect
      .poll(() => termsIn(watched))
      .toEqual([
        'rain boots women',
        'rain boots',
        ...['hiking boots', 'snow boots', 'kids snow boots'],
        // New, so there is no year before.
        'boot dryer',
      ]);
    expect(new URL(page.url()).searchParams.get('order_by')).toBe('year_change');
    // The newest are first, and those with a gap.
    await page.getByRole('columnheader', { name: 'First seen' }).getByRole('button').click();
    await expect.poll(async () => (await termsIn(watched))[0]).toBe('boot dryer');
    await page.getByRole('columnheader', { name: 'Title gap' }).getByRole('button').click();
    const gaps = () => page.locator('.grid-body .col-gap').allInnerTexts();
    await expect.poll(async () => (await gaps()).join(' ')).toMatch(/^(yes )+(no ?)+$/);
    await page.getByRole('columnheader', { name: 'Year on year' }).getByRole('button').click();
    await expect.poll(async () => (await termsIn(watched))[0]).toBe('rain boots women');
    // On a phone what decides the order stands in the second line.
    await page.setViewportSize(PHONE.viewport);
    await expect.poll(() => rowOf(watched, 'rain boots').locator('.col-year').isVisible()).toBe(true);
    await page.setViewportSize(DESKTOP.viewport);
    await page.reload();
    await rowOf(watched, 'rain boots').locator('.col-first').waitFor();
    await expect.poll(() => page.locator('.col-brands').count()).toBe(0);
  });
});

describe('rows', () => {
  it('are picked by box, with Shift and by key, and copied and exported as they are', async () => {
    await using watched = await world.open('/?query=boots&order_by=latest_rank', {
      ...DESKTOP,
      key: await newKey(),
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = watched;
    await rowOf(watched, 'hiking boots').waitFor();
    const all = await termsIn(watched);
    const boxes = page.locator('.grid-body .pick input');
    await boxes.nth(0).click();
    await page
      .locator('.grid-body [role=row]')
      .nth(2)
      .click({ modifiers: ['Shift'], position: { x: 500, y: 3 } });
    await page.getByText('3 selected').waitFor();
    await page.locator('.grid-body [role=row]').nth(1).focus();
    await page.keyboard.press('x');
    await page.getByText('2 selected').waitFor();
    await expect.poll(() => page.locator('.grid-body [role=row][aria-selected=true]').count()).toBe(2);
    const bar = page.getByRole('region', { name: 'Selected keywords' });
    await bar.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(`${all[0]}\n${all[2]}`);
    await bar.getByRole('button', { name: 'Export' }).click();
    await bar.getByRole('button', { name: 'CSV' }).click();
    const { text } = await downloadOf(watched, () => bar.getByRole('button', { name: 'Download 2 rows' }).click());
    expect(text.trim().split('\r\n')).toHaveLength(3);
    // Another order leaves them picked, another search does not.
    await page.getByRole('columnheader', { name: 'Latest' }).getByRole('button').click();
    await expect.poll(async () => (await termsIn(watched))[0]).toBe(all.at(-1));
    await page.getByText('2 selected').waitFor();
    await page.getByRole('combobox', { name: 'Search keywords' }).fill('lamp');
    await page.keyboard.press('Enter');
    await rowOf(watched, 'desk lamp').waitFor();
    await expect.poll(() => bar.count()).toBe(0);
  });

  it('of trends have history and products when asked to, and a sparkline says the rank under the pointer', async () => {
    await using watched = await world.open('/trends?threshold=1', { ...DESKTOP, key: await newKey() });
    const { page } = watched;
    await rowOf(watched, 'rain boots').waitFor();
    expect(searchesOf(watched)).toBe(0);
    await page.getByRole('button', { name: 'History and products 1 search' }).click();
    const sparkline = rowOf(watched, 'rain boots').locator('.sparkline');
    await sparkline.waitFor();
    await rowOf(watched, 'rain boots').getByText('Insulated winter boots').waitFor();
    expect(searchesOf(watched)).toBe(1);
    const { width = 0, height = 0 } = (await sparkline.boundingBox()) ?? {};
    await sparkline.hover({ position: { x: width - 3, y: height / 2 } });
    await expect.poll(() => page.locator('.point-hint').innerText()).toBe('Oct 2026: 3,500');
    await sparkline.hover({ position: { x: 3, y: height / 2 } });
    await expect.poll(() => page.locator('.point-hint').innerText()).toBe('Sep 2024: 6,000');
    await page.getByRole('heading', { name: 'Trends' }).hover();
    await expect.poll(() => page.locator('.point-hint').count()).toBe(0);
    // On a phone and a tablet too.
    for (const { viewport } of [PHONE, TABLET]) {
      await page.setViewportSize(viewport);
      await expect.poll(() => sparkline.isVisible()).toBe(true);
      await expect.poll(() => rowOf(watched, 'rain boots').getByText('Insulated winter boots').isVisible()).toBe(true);
    }
    await inspectAtEverySize(watched);
    await page.setViewportSize(DESKTOP.viewport);
    // What is known costs nothing in another list; the year before is chosen in the same place as everywhere.
    await page.getByLabel('Change since').selectOption({ label: 'Oct 2025, a year ago' });
    await expect.poll(() => rowOf(watched, 'rain boots').locator('.col-change').textContent()).toContain('1,200');
    expect(searchesOf(watched)).toBe(1);
    await page.getByRole('button', { name: 'New terms' }).click();
    await rowOf(watched, 'boot dryer').locator('.sparkline').waitFor();
    // Sixty-one rows.
    await expect.poll(() => searchesOf(watched)).toBe(3);
    expect(watched.problems).toEqual([]);
  });
});

describe('a job', () => {
  it("one's own list, looked up: three steps, fifty keywords to a search, on from where the limit ended it", async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'pro' } });
    const bolts = Array.from({ length: 60 }, (_, i) => `bolt ${i}`);
    const unknown = Array.from({ length: 38 }, (_, i) => `no such keyword ${i}`);
    const pasted = [
      'Snow  Boots',
      'snow boots',
      ...bolts,
      ...unknown,
      'desk lamp',
      'garden hose',
      'x'.repeat(300),
    ].join('\r\n');
    await using watched = await world.open('/', { ...DESKTOP, key });
    const { page } = watched;
    const hand = handOf(watched);
    await hand.click(page.getByRole('link', { name: 'Look up a list' }));
    await page.getByText('Every 50 cost one search').waitFor();
    await hand.type(page.getByRole('textbox'), pasted);
    await page.getByText('Costs 3 searches').waitFor();
    await page.getByText('1 too long to be a keyword').waitFor();
    // The limit is reached after the first part.
    let answers = 0;
    await page.route('**/v1/search/keywords?*', async (route) => {
      answers += 1;
      if (answers !== 2) return route.continue();
      await route.fulfill({
        status: 429,
        headers: { 'retry-after': '1', 'content-type': 'application/json' },
        body: JSON.stringify({
          data: null,
          error: { code: 'RATE_LIMIT_EXCEEDED', message: 'The hourly limit is reached.', docs: '/docs/errors' },
        }),
      });
    });
    await hand.click(page.getByRole('button', { name: 'Look up 101' }));
    expect(hand.steps()).toBe(3);
    await page.getByText('The hourly limit is reached.').waitFor();
    await page.getByText('50 found of 50').waitFor();
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await page.getByText('63 found of 101').waitFor();
    await inspectAtEverySize(watched);
    expect(countAsked(watched, '/v1/search/keywords')).toBe(4);
    await page.getByText('38 not found').click();
    await page.getByRole('link', { name: 'no such keyword 37' }).waitFor();
    await page.getByText('38 not found').click();
    await expect.poll(async () => (await termsIn(watched)).slice(0, 2)).toEqual(['snow boots', 'bolt 0']);
    await page.getByRole('columnheader', { name: 'Latest' }).getByRole('button').click();
    await expect.poll(async () => (await termsIn(watched)).slice(0, 2)).toEqual(['desk lamp', 'snow boots']);
    // Two requests make one file, with the names of the columns once.
    await page.getByRole('button', { name: 'Export' }).click();
    const { text } = await downloadOf(watched, () => page.getByRole('button', { name: 'Download 63 rows' }).click());
    const lines = text.trim().split('\r\n');
    expect(lines).toHaveLength(64);
    expect(lines.filter((line) => /search.term/i.test(line))).toHaveLength(1);
    expect(countAsked(watched, '/v1/search/keywords/export')).toBe(2);
    // The way back from a keyword costs nothing.
    await page.getByRole('link', { name: 'desk lamp' }).click();
    await page.getByRole('heading', { name: 'desk lamp', level: 1 }).waitFor();
    await page.goBack();
    await rowOf(watched, 'desk lamp').waitFor();
    await expect.poll(() => rowOf(watched, 'desk lamp').locator('.col-year').textContent()).toBe('unchanged 0');
    expect(countAsked(watched, '/v1/search/keywords')).toBe(4);
    // A thousand and one are too many.
    await page.getByRole('textbox').fill(Array.from({ length: 1001 }, (_, i) => `keyword ${i}`).join('\n'));
    await page.getByText('At most 1,000 at once; these are 1,001.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Look up 1/ }).isDisabled()).toBe(true);
    expect(watched.problems).toEqual([]);
  });
});
