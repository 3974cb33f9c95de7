// One keyword and up to four others: what the chart shows, what the tables say, and that all of it is true.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishFewRanks } from './few-ranks.ts';
import { DESKTOP, openWebWorld, PHONE, type WatchedPage, type WebWorld } from './web-world.ts';

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld(publishFewRanks);
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

async function openKeyword(query: string, options = {}): Promise<WatchedPage> {
  const watched = await world.open(`/keyword?${query}`, { ...DESKTOP, ...options });
  await watched.page.locator('.chart svg').first().waitFor();
  return watched;
}

function termsOf(terms: readonly string[]): string {
  return new URLSearchParams(terms.map((term): [string, string] => ['term', term])).toString();
}

describe('the chart', () => {
  it('joins ranks over periods without one by a dotted line', async () => {
    await using watched = await openKeyword('term=sparse+lamp');
    const line = watched.page.locator('.plot-line');
    // May, July and October have ranks: nothing joins them but dots.
    await expect.poll(() => line.locator('circle').count()).toBe(3);
    const [gaps, solid] = await Promise.all(
      [line.locator('.plot-gap'), line.locator('path:not(.plot-gap)')].map((path) => path.getAttribute('d')),
    );
    expect([gaps?.match(/L/g)?.length, solid?.includes('L')]).toEqual([2, false]);
    const dash = "getComputedStyle(document.querySelector('.plot-gap')).strokeDasharray";
    expect(await watched.page.evaluate(dash)).toMatch(/2.*4/);
  });

  it('does not make a crash of a fall from 1 to 2', async () => {
    await using watched = await openKeyword('term=steady+lamp');
    const [line, plot] = await Promise.all(
      ['.plot-line path:not(.plot-gap)', '.chart-reader'].map((name) => watched.page.locator(name).boundingBox()),
    );
    expect(line?.height ?? 0).toBeGreaterThan(20);
    expect((line?.height ?? 0) / (plot?.height ?? 1)).toBeLessThan(0.45);
  });

  it('is read with the pointer and with the keys, which say what there is', async () => {
    await using watched = await openKeyword('term=desk+lamp&term=floor+lamp');
    const { page } = watched;
    await page.locator('.chart-reader').hover({ position: { x: 200, y: 100 } });
    const colours = () =>
      page.evaluate(
        `[getComputedStyle(document.querySelector('.plot-cursor circle')).fill, getComputedStyle(document.querySelector('.swatch')).backgroundColor]`,
      );
    await expect.poll(async () => new Set((await colours()) as string[]).size).toBe(1);
    await page.locator('.readout-period', { hasText: /Jun 2026|Jul 2026/ }).waitFor();
    const slider = page.getByRole('slider', { name: 'Period to read' });
    await page.mouse.move(5, 5);
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('Sep 2026, desk lamp 14, floor lamp 24');
    await page.keyboard.press('Home');
    await page.locator('.readout-period', { hasText: 'May 2026' }).waitFor();
    await expect.poll(() => page.getByRole('img', { name: /^Search rank: desk lamp, floor lamp/ }).count()).toBe(1);
    expect(watched.problems).toEqual([]);
  });

  it('has its zoom in the address, where it can be shared, undone and ended', async () => {
    await using watched = await openKeyword('term=desk+lamp');
    const { page } = watched;
    const box = await page.locator('.chart-reader').boundingBox();
    if (!box) throw new Error('the chart has no box');
    await page.mouse.move(box.x + box.width * 0.2, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.61, box.y + 60, { steps: 5 });
    await page.mouse.up();
    const address = () => page.url().slice(world.service.url.length);
    await expect.poll(address).toBe('/keyword?term=desk+lamp&from=06-2026&to=08-2026');
    await page.getByRole('button', { name: 'Whole history' }).waitFor();

    await using shared = await openKeyword('term=desk+lamp&from=06-2026&to=08-2026');
    await shared.page.locator('.readout-period', { hasText: 'Aug 2026' }).waitFor();
    await shared.page.getByRole('button', { name: 'Whole history' }).click();
    await expect.poll(() => shared.page.url().slice(world.service.url.length)).toBe('/keyword?term=desk+lamp');

    // Away from the chart, which tells of the period under the pointer.
    await page.mouse.move(5, 5);
    await page.goBack();
    await page.locator('.readout-period', { hasText: 'Oct 2026' }).waitFor();
    await page.getByText('drag to zoom').waitFor();
    expect(watched.problems).toEqual([]);
  });

  it('names weeks by their days', async () => {
    await using watched = await openKeyword('term=steady+lamp&type=weekly');
    const { page } = watched;
    await page.locator('.readout-period', { hasText: 'W46, 8–14 Nov 2026' }).waitFor();
    await expect.poll(() => page.locator('.comparison .latest').innerText()).toContain('W46, 8–14 Nov');
  });
});

describe('the panel of the chart', () => {
  it('shows whose products were the top three, years above each other, and as much of the history as is asked for', async () => {
    await using watched = await openKeyword('term=brand+lamp&range=3');
    const { page } = watched;
    await expect.poll(() => page.locator('.plot-line circle').count()).toBe(3);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await expect.poll(() => page.locator('.plot-line circle').count()).toBe(6);
    await page.getByRole('button', { name: '6 m', exact: true }).click();
    expect(new URL(page.url()).searchParams.get('range')).toBe('6');

    await page.getByRole('button', { name: 'Top three' }).click();
    await expect.poll(() => page.locator('.plot-column rect').count()).toBe(3);
    const readings = async () =>
      (await page.locator('.readout-term').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    await expect.poll(readings).toEqual(['1. First lamp 40.0%', '2. Second lamp 25.0%', '3. Third lamp 10.0%']);
    await page.getByRole('button', { name: 'Conversions' }).click();
    await expect.poll(readings).toEqual(['1. First lamp 20.0%', '2. Second lamp 50.0%', '3. Third lamp 5.0%']);
    await expect
      .poll(() => page.locator('.who-list').getByRole('link', { name: 'Second lamp' }).getAttribute('href'))
      .toBe('/product?asin=B0AAAAAAA2');

    await page.getByRole('button', { name: 'By year' }).click();
    await expect.poll(() => page.locator('.plot-line circle').count()).toBe(6);
    await expect.poll(readings).toEqual(['2026 28']);
    await expect.poll(() => page.locator('.readout-period').innerText()).toBe('Oct');
    expect([watched.problems, watched.failures]).toEqual([[], []]);
  });

  it('keeps notes, and saves drawing, picture and numbers', async () => {
    await using watched = await openKeyword('term=desk+lamp&term=floor+lamp');
    const { page } = watched;
    await page.locator('.chart-notes summary').click();
    await page.getByLabel('Day of the event').fill('2026-07-08');
    await page.getByLabel('What happened').fill('<b>Prime Dai</b>');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.locator('.note-text', { hasText: '<b>Prime Dai</b> desk lamp' }).waitFor();
    await expect.poll(() => page.locator('.plot-note').count()).toBe(1);
    await page.getByRole('button', { name: 'Change the note: <b>Prime Dai</b>' }).click();
    await expect.poll(() => page.getByLabel('Day of the event').inputValue()).toBe('2026-07-08');
    await page.getByLabel('What happened').fill('<b>Prime Day</b>');
    await page.getByRole('button', { name: 'Save note' }).click();
    await page.locator('.note-text', { hasText: '<b>Prime Day</b> desk lamp' }).waitFor();
    await page.getByRole('button', { name: 'Add note' }).waitFor();
    await expect.poll(() => page.locator('.chart-notes li').count()).toBe(1);

    const save = async (name: string) => {
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      const choice = page.getByRole('dialog').getByRole('button', { name });
      const [file] = await Promise.all([page.waitForEvent('download'), choice.click()]);
      return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
    };
    const svg = await save('Drawing, SVG');
    expect(svg.name).toBe('desk-lamp-floor-lamp-ranks.svg');
    const drawing = svg.bytes.toString();
    for (const part of ['Search rank: desk lamp, floor lamp', 'Jul 2026: &lt;b&gt;Prime Day&lt;/b&gt;', 'Oct 2026']) {
      expect(drawing).toContain(part);
    }
    // It needs no style sheet, and is well-formed.
    expect(drawing).not.toMatch(/var\(|class=|<script/);
    expect(
      await page.evaluate(
        `new DOMParser().parseFromString(${JSON.stringify(drawing)}, 'image/svg+xml').querySelectorAll('parsererror').length`,
      ),
    ).toBe(0);
    const png = await save('Picture, PNG');
    expect([png.name, png.bytes.subarray(1, 4).toString()]).toEqual(['desk-lamp-floor-lamp-ranks.png', 'PNG']);
    const csv = (await save('Numbers, CSV')).bytes.toString();
    expect(csv.split('\n').filter((line) => /^(desk|floor) lamp,/.test(line)).length).toBe(12);
    expect((await save('Numbers, Excel')).bytes.subarray(0, 2).toString()).toBe('PK');

    await page.getByRole('button', { name: 'Remove the note: <b>Prime Day</b>' }).click();
    await expect.poll(() => page.locator('.plot-note').count()).toBe(0);
    expect([watched.problems, watched.failures]).toEqual([[], []]);
  });
});

describe('the tables', () => {
  it('name brands apart from products, because reports do not say whose product is whose', async () => {
    await using watched = await openKeyword('term=brand+lamp');
    const { page } = watched;
    const rows = page.locator('.product-table tbody tr');
    await expect.poll(() => rows.count()).toBe(3);
    await expect.poll(() => rows.filter({ hasText: /Zeta|Acme|Mid/ }).count()).toBe(0);
    await expect.poll(() => page.locator('.top-brands dd').allInnerTexts()).toEqual(['Zeta', 'Acme', 'Mid']);
  });

  it('draw shares as parts of all clicks and conversions', async () => {
    await using watched = await openKeyword('term=brand+lamp');
    const { page } = watched;
    const shares = await page.evaluate(`[...document.querySelectorAll('.share-bar')].map((bar) =>
      Math.round((bar.firstElementChild.getBoundingClientRect().width / bar.getBoundingClientRect().width) * 100))`);
    expect(shares).toEqual([40, 20, 25, 50, 10, 5]);
    await page.goto(`${world.service.url}/?query=brand+lamp`);
    await page.locator('.share-parts').first().waitFor();
    const parts = await page.evaluate(`[...document.querySelectorAll('.share-parts')].slice(0, 1).flatMap((bar) =>
      [...bar.children].map((part) => Math.round((part.getBoundingClientRect().width / bar.getBoundingClientRect().width) * 100)))`);
    expect(parts).toEqual([40, 25, 10]);
  });

  it('are cards on a phone: name and buttons beside each other, no word broken, a label to each number', async () => {
    await using watched = await openKeyword('term=brand+lamp&term=desk+lamp', PHONE);
    const { page } = watched;
    const row = page.locator('.comparison tbody tr').first();
    const [name, star] = await Promise.all([
      row.locator('th .swatch-name').boundingBox(),
      row.locator('.star').boundingBox(),
    ]);
    if (!name || !star) throw new Error('the card has no name or no star');
    expect(name.x + name.width).toBeLessThanOrEqual(star.x);
    // One line of text each.
    const heights = await page.evaluate<number[]>(`[...document.querySelectorAll(
      '.comparison .swatch-name, .comparison td[data-label] > *, .product-title, .panel-head h2')].map((each) => each.getClientRects().length > 0
        ? each.getBoundingClientRect().height : 0)`);
    expect(Math.max(...heights)).toBeLessThan(45);
    const labels =
      await page.evaluate(`[...document.querySelectorAll('.comparison tbody tr:first-child td[data-label]')].map((cell) =>
      getComputedStyle(cell, '::before').content)`);
    expect(labels).toEqual(['"Latest"', '"Change"', '"Best"', '"Average"', '"Worst"', '"Months"']);
    const first = await row.locator('td[data-label=Latest]').boundingBox();
    const second = await row.locator('td[data-label=Change]').boundingBox();
    expect((first?.x ?? 0) < (second?.x ?? 0)).toBe(true);
  });

  it('keep the box for another keyword when there are five, and say why it is shut', async () => {
    const five = ['brand lamp', 'desk lamp', 'floor lamp', 'steady lamp', 'sparse lamp'];
    await using watched = await openKeyword(termsOf(five));
    const { page } = watched;
    const box = page.getByRole('combobox', { name: 'Compare with' });
    await box.waitFor();
    expect([await box.isDisabled(), await box.getAttribute('placeholder')]).toEqual([true, '5 at most: remove one']);
    await page.getByRole('button', { name: 'Remove sparse lamp' }).click();
    await expect.poll(() => box.isDisabled()).toBe(false);
    // The last one stays: without it there is no view.
    for (const term of ['brand lamp', 'desk lamp', 'floor lamp'])
      await page.getByRole('button', { name: `Remove ${term}` }).click();
    await expect.poll(() => page.getByRole('button', { name: /^Remove / }).count()).toBe(0);
  });
});

describe('a change', () => {
  const CHANGES: Readonly<Record<string, readonly [sinceSeptember: string, sinceMay: string]>> = {
    'brand lamp': ['up 12', 'up 2'],
    'desk lamp': ['down 1', 'down 5'],
    // Not in the newest month.
    'gone lamp': ['not ranked in both periods', 'not ranked in both periods'],
    // Not in September.
    'early lamp': ['not ranked in both periods', 'up 8,000'],
  };
  const wording = (text: string | null) => (text ?? '').replace(/[▲▼–]/g, '').trim();

  it('is the same in a search, for one keyword and for tracked ones: newest against the period that is named', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'studio' } });
    const keywords = Object.keys(CHANGES).map((term) => ({ search_term: term }));
    await world.service.request('/v1/tracked-keywords', { method: 'POST', key, body: JSON.stringify({ keywords }) });
    const terms = termsOf(Object.keys(CHANGES));
    const views = [
      ['/?query=lamp', '.result-grid .grid-body [role=row]', '.col-change'],
      [`/keyword?${terms}`, '.comparison tbody tr', 'td[data-label=Change]'],
      ['/tracked?', '.tracked-grid .grid-body [role=row]', '.col-change'],
    ] as const;
    for (const [path, rows, cell] of views) {
      await using watched = await world.open(path, { ...DESKTOP, key });
      const { page } = watched;
      const changeOf = async (term: string) =>
        wording(await page.locator(rows).filter({ hasText: term }).first().locator(cell).textContent());
      await page.locator(rows).filter({ hasText: 'gone lamp' }).first().waitFor();
      for (const [i, period] of ['Sep 2026', 'May 2026'].entries()) {
        await page.getByLabel('Change since').selectOption({ label: period });
        await page
          .locator('.change-title', { hasText: `Change since ${period}` })
          .first()
          .waitFor();
        for (const [term, expected] of Object.entries(CHANGES)) {
          await expect.poll(() => changeOf(term), { message: `${path} ${term}` }).toBe(expected[i]);
        }
      }
      expect(new URL(page.url()).searchParams.get('compare_to')).toBe('05-2026');
    }
  });
});

describe('a keyword without ranks', () => {
  it('is said to be unknown, with the way to similar ones, when no report has it', async () => {
    await using watched = await world.open('/keyword?term=no+such+lamp', DESKTOP);
    const { page } = watched;
    await page.getByText('“no such lamp” is not in the data.').waitFor();
    await page.getByText('6 months and 2 weeks').waitFor();
    const text = await page.locator('main').innerText();
    for (const wrong of ['plan', 'No other keyword']) expect(text).not.toContain(wrong);
    await page.getByRole('link', { name: 'Search for similar keywords' }).click();
    await expect.poll(() => page.url().slice(world.service.url.length)).toBe('/?query=no+such+lamp');
  });

  it('leads to its weeks when it has only those', async () => {
    await using watched = await world.open('/keyword?term=weekly+lamp', DESKTOP);
    const { page } = watched;
    await page.getByText('“weekly lamp” has no monthly ranks, but weekly ones.').waitFor();
    await page.getByRole('button', { name: 'Show the weekly ranks' }).click();
    await page.locator('.chart svg').waitFor();
  });

  it('is told apart from one that could not be asked for, and the seconds to wait count down', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'pro' } });
    for (let i = 0; i < 20; i += 1) {
      const searches = Array.from({ length: 5 }, () => world.service.request('/v1/search/keywords?query=a', { key }));
      await Promise.all(searches);
    }
    await using watched = await world.open('/keyword?term=desk+lamp&term=floor+lamp', { ...DESKTOP, key });
    const { page } = watched;
    await page.getByText('The organization has used its 100 searches of the last hour.').waitFor();
    await page.getByText('not loaded').first().waitFor();
    const text = await page.locator('main').innerText();
    for (const wrong of ['No monthly ranks', 'not in the data', 'no ranks']) expect(text).not.toContain(wrong);
    // Beside a live countdown, seconds that stand still are wrong a second later.
    expect(text).not.toMatch(/Wait \d+ s/);
    await page.getByText(/It can be tried again at \d\d:\d\d, when the next search is free/).waitFor();
    const button = page.getByRole('button', { name: /^Try again in \d+:\d\d$/ });
    const before = await button.innerText();
    await expect.poll(() => button.innerText()).not.toBe(before);
  });
});

it('a sparkline says what it shows, dots its gaps and keeps small moves small', async () => {
  await using watched = await world.open('/?query=lamp&order_by=latest_rank', DESKTOP);
  const { page } = watched;
  const lineOf = (term: string) =>
    page.locator('.result-grid .grid-body [role=row]').filter({ hasText: term }).first().locator('svg.sparkline');
  await lineOf('sparse lamp').waitFor();
  await expect
    .poll(() => lineOf('sparse lamp').getAttribute('aria-label'))
    .toBe('Rank 900 in May 2026, 300 in Oct 2026; best 300');
  await expect.poll(() => page.getByRole('img', { name: /^Rank/ }).count()).toBeGreaterThan(4);
  const gap = await lineOf('sparse lamp').locator('.sparkline-gap').getAttribute('d');
  expect(gap?.match(/L/g)?.length).toBe(2);
  const heights = await lineOf('steady lamp').evaluate((svg) => {
    const line = svg.querySelector('path');
    return [line?.getBoundingClientRect().height ?? 0, svg.getBoundingClientRect().height];
  });
  expect((heights[0] ?? 0) / (heights[1] ?? 1)).toBeLessThan(0.45);
});
