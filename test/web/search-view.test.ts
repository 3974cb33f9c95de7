import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listReplacements } from '../../web/search/spelling.ts';
import {
  ACCENTED_TERM,
  countAsked,
  DESKTOP,
  HOSTILE_TERM,
  isAscending,
  openWebWorld,
  PHONE,
  TABLET,
  type WatchedPage,
  type WebWorld,
} from './web-world.ts';

const SEARCH = '/v1/search/keywords';

let world: WebWorld;
beforeAll(async () => {
  world = await openWebWorld();
}, 300_000);
afterAll(() => world[Symbol.asyncDispose]());

function address({ page }: WatchedPage): string {
  return page.url().slice(world.service.url.length);
}

function firstTerm({ page }: WatchedPage) {
  return page.locator('.result-grid .grid-body [role=row] .col-term').first();
}

describe('signing in', () => {
  it('by hand is remembered only if asked to, and a key that is refused is sent away with the reason', async () => {
    await using watched = await world.open('/account', { key: null });
    const { page } = watched;
    await page.getByLabel('API key').fill('nonsense');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This is not a key').waitFor();
    await page.getByLabel('API key').fill(`krk_${'0'.repeat(36)}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('A valid API key is required.').waitFor();
    await page.getByLabel('API key').fill(world.key);
    await page.getByLabel('Remember it on this device').uncheck();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Next slot at').waitFor();
    expect(await page.evaluate('[localStorage.length, Object.values(sessionStorage)]')).toEqual([0, [world.key]]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
  });
});

describe('searching', () => {
  it('suggests while typing, and spends a search only when one is asked for', async () => {
    await using watched = await world.open('/');
    const { page } = watched;
    await page.getByText('Climbing').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('shoe', { delay: 40 });
    // Until then they may be those of the first letters.
    const areSuggested = async () => {
      const texts = await page.getByRole('option').allInnerTexts();
      return texts.length > 2 && texts.every((text) => text.includes('shoe'));
    };
    await expect.poll(areSuggested).toBe(true);
    expect(countAsked(watched, SEARCH)).toBe(0);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const chosen = await page.getByRole('combobox', { name: 'Search keywords' }).inputValue();
    expect(chosen).toContain('shoe');
    await page.keyboard.press('Enter');
    await firstTerm(watched).waitFor();
    expect(address(watched)).toBe(`/?${new URLSearchParams({ query: chosen })}`);
    await expect.poll(() => firstTerm(watched).innerText()).toBe(chosen);
    expect(countAsked(watched, SEARCH)).toBe(1);
  });

  it('keeps everything in the address: it can be shared, and the back button undoes', async () => {
    await using watched = await world.open('/?query=shoes');
    const { page } = watched;
    await firstTerm(watched).waitFor();
    await page.getByRole('button', { name: 'Weekly' }).click();
    await page.getByRole('button', { name: 'Exact', exact: true }).click();
    await page.getByRole('button', { name: 'Similar', exact: true }).click();
    await page.getByRole('button', { name: 'Best', exact: true }).click();
    await page.getByRole('button', { name: 'Rank', exact: true }).click();
    await page.getByLabel('to', { exact: true }).fill('300');
    await page.keyboard.press('Enter');
    const shared = '/?query=shoes&type=weekly&order_by=best_rank&max_rank=300';
    await expect.poll(() => address(watched)).toBe(shared);
    await page.getByRole('button', { name: 'Remove: rank up to 300' }).waitFor();
    await page.locator('.grid[aria-busy=false]').waitFor();
    const listed = await page.locator('.result-grid .grid-body .col-term').allInnerTexts();

    await using other = await world.open(shared);
    await firstTerm(other).waitFor();
    await expect.poll(() => other.page.locator('.result-grid .grid-body .col-term').allInnerTexts()).toEqual(listed);

    const spent = countAsked(watched, SEARCH);
    await page.getByRole('button', { name: 'Remove: rank up to 300' }).click();
    await page.getByRole('button', { name: 'Remove: rank up to 300' }).waitFor({ state: 'detached' });
    await page.locator('.grid[aria-busy=false]').waitFor();
    await page.goBack();
    expect(address(watched)).toBe(shared);
    await expect.poll(() => page.locator('.result-grid .grid-body .col-term').allInnerTexts()).toEqual(listed);
    // What was seen before is shown again without a search.
    expect(countAsked(watched, SEARCH)).toBe(spent);
  });

  it('orders by any period and shows its ranks', async () => {
    await using watched = await world.open('/?query=shoes');
    const { page } = watched;
    await firstTerm(watched).waitFor();
    await page.getByLabel('Sort by').selectOption({ label: 'Sep 2026' });
    await page.getByRole('columnheader', { name: 'Sep 2026', exact: true }).waitFor();
    expect(address(watched)).toBe('/?query=shoes&order_by=09-2026');
    const ranks = async () => {
      const texts = await page.locator('.grid-body .col-period').allInnerTexts();
      return texts.map((text) => Number(text.replaceAll(',', ''))).filter((rank) => !Number.isNaN(rank));
    };
    // The rows of the order before stay until the new ones are there.
    await expect.poll(async () => isAscending(await ranks())).toBe(true);
    expect((await ranks()).length).toBeGreaterThan(5);
  });

  it('shows terms and titles that contain markup as text', async () => {
    await using watched = await world.open(`/?query=${encodeURIComponent(HOSTILE_TERM)}&method=exact`);
    const { page, problems } = watched;
    await firstTerm(watched).waitFor();
    await expect.poll(() => firstTerm(watched).innerText()).toBe(HOSTILE_TERM);
    await expect.poll(() => page.locator('.products-title').innerText()).toBe('<script>document.title=1</script>');
    await firstTerm(watched).locator('a').click();
    await page.locator('.chart svg').first().waitFor();
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe(HOSTILE_TERM);
    await expect
      .poll(() => page.locator('.product-title').first().innerText())
      .toBe('<script>document.title=1</script>');
    await expect.poll(() => page.locator('main img, main script').count()).toBe(0);
    await expect.poll(() => page.title()).toBe(`${HOSTILE_TERM} · Keyword · keyrank`);
    expect(problems).toEqual([]);
  });

  it('keeps few of a thousand rows in the document, and the keyboard reaches all of them', async () => {
    await using watched = await world.open('/?query=a&query=s&query=for&query=shoes&query=women&limit=1000');
    const { page } = watched;
    await firstTerm(watched).waitFor();
    const count = Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1;
    expect(count).toBeGreaterThan(100);
    const rows = page.locator('.grid-body [role=row]');
    await expect.poll(() => rows.count()).toBeLessThan(60);
    await rows.first().focus();
    await page.keyboard.press('End');
    const last = page.locator(`[role=row][aria-rowindex="${count + 1}"]`);
    await last.waitFor();
    await expect
      .poll(() => last.evaluate('document.activeElement?.getAttribute("aria-rowindex")'))
      .toBe(String(count + 1));
    const term = await page.locator(`[role=row][aria-rowindex="${count}"] .col-term`).innerText();
    // At once, as fast fingers on a slow machine: Enter means the row that the arrow has reached.
    await page.evaluate(`for (const key of ['ArrowUp', 'Enter']) {
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    }`);
    await page.getByRole('heading', { level: 1, name: term, exact: true }).waitFor();
    await expect.poll(() => rows.count()).toBe(0);
  });

  it('shows the limit as the headers tell it, and counts down when it is used up', async () => {
    const key = await world.service.makeKey({ subscription: { plan: 'pro' } });
    await using watched = await world.open('/?query=shoes', { key });
    const { page } = watched;
    await page.getByRole('link', { name: '99 searches left' }).waitFor();
    // A few at a time: all at once, a busy machine would send some away without counting them.
    for (let i = 0; i < 11; i += 1) {
      await Promise.all(Array.from({ length: 9 }, () => world.service.request(`${SEARCH}?query=a`, { key })));
    }
    await page.getByRole('combobox', { name: 'Search keywords' }).fill('boots');
    await page.keyboard.press('Enter');
    await page.getByText('The organization has used its 100 searches of the last hour.').waitFor();
    const button = page.getByRole('button', { name: /^Try again in \d+:\d\d$/ });
    await expect.poll(() => button.isDisabled()).toBe(true);
    const before = await button.innerText();
    await expect.poll(() => button.innerText()).not.toBe(before);
    await page.getByRole('link', { name: '0 searches left' }).waitFor();
  });

  it('downloads an export of all rows', async () => {
    await using watched = await world.open('/?query=shoes&limit=50');
    const { page } = watched;
    const count = Number((await page.locator('.results-count b').innerText()).replaceAll(',', ''));
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'CSV' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Download/ }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(lines.length).toBe(count + 1);
    expect(watched.failures.filter((each) => each.includes('export'))).toEqual([]);
  });

  it('names ranks, changes and percentages apart in the file names of exports, in any script', async () => {
    await using watched = await world.open(`/?${new URLSearchParams({ query: ACCENTED_TERM, method: 'exact' })}`);
    const { page } = watched;
    await firstTerm(watched).waitFor();
    const names: string[] = [];
    for (const values of ['Ranks', 'Changes', 'Percent']) {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('button', { name: 'CSV' }).click();
      await page.getByRole('button', { name: values, exact: true }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download 1 row' }).click(),
      ]);
      names.push(download.suggestedFilename());
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expect(names).toEqual(['', '-changes', '-percent'].map((kind) => `keyrank-café-monthly${kind}-2026-10.csv`));
    expect([watched.problems, watched.failures]).toEqual([[], []]);
  });

  it('has nothing to download where nothing is found, and says so', async () => {
    await using watched = await world.open('/?query=qqqzzzxxx&method=exact');
    await watched.page.getByRole('button', { name: 'Export' }).click();
    await expect.poll(() => watched.page.getByRole('button', { name: 'Nothing to download' }).isDisabled()).toBe(true);
  });

  it('says why a page has no rows, and leads back from one past the end', async () => {
    await using watched = await world.open('/?query=shoes&limit=50&page=99');
    const { page } = watched;
    await page.getByText('This page is past the end.').waitFor();
    await expect.poll(() => page.locator('main').innerText()).not.toContain('Use fewer words');
    await page.getByRole('button', { name: 'Previous page' }).click();
    await firstTerm(watched).waitFor();
    await page.goto(`${world.service.url}/?query=qqqzzzxxx&page=2`);
    await page.getByText('No keyword matches.').waitFor();
    await expect.poll(() => page.locator('main').innerText()).not.toContain('Take away filters');
    await page.goto(`${world.service.url}/?query=shoes&brand=qqqzzzxxx`);
    await page.getByText('Take away filters.').waitFor();
  });

  it('says what the results are for after a typo, and only then', async () => {
    await using watched = await world.open('/?query=runing+shoes');
    const { page } = watched;
    await page.getByText('Showing results for running · no keyword has “runing”').waitFor();
    await page.getByRole('combobox', { name: 'Search keywords' }).fill('running shoe');
    await page.keyboard.press('Enter');
    await page.locator('.spelling').waitFor({ state: 'detached' });
    await firstTerm(watched).waitFor();
  });

  it('offers the brands and categories of the results to narrow them by', async () => {
    await using watched = await world.open('/?query=shoes');
    const { page } = watched;
    await firstTerm(watched).waitFor();
    for (const name of ['Brand', 'Category'] as const) {
      await page.getByRole('button', { name, exact: true }).click();
      const pick = page.getByRole('dialog').locator('.filter-picks button').first();
      const value = await pick.locator('.filter-pick').innerText();
      await pick.click();
      const word = name === 'Brand' ? 'brand' : 'in';
      await page.getByRole('button', { name: `Remove: ${word} ${value}` }).waitFor();
      expect(new URL(page.url()).searchParams.getAll(name.toLowerCase())).toEqual([value]);
      await page.locator('.grid[aria-busy=false]').waitFor();
    }
    expect(watched.failures).toEqual([]);
  });

  it('shows every line of what can be copied whole', async () => {
    const query = 'a search with many words and filters so long that it fits on no line of any panel';
    for (const size of [DESKTOP, TABLET, PHONE]) {
      await using watched = await world.open(
        `/?${new URLSearchParams({ query, brand: 'Acme & Sons, makers of shoes' })}`,
        size,
      );
      const { page } = watched;
      await page.getByRole('button', { name: 'Copy as' }).click();
      await page.locator('.copy-panel pre').first().waitFor();
      const cut = await page.evaluate(`[...document.querySelectorAll('.copy-panel pre')].filter((pre) =>
        pre.scrollWidth > pre.clientWidth || pre.scrollHeight > pre.clientHeight + 1).length`);
      expect(cut, `${size.viewport.width}`).toBe(0);
      const { x = -1, width = 0 } = (await page.getByRole('dialog').boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(size.viewport.width);
    }
  });

  it('gives a curl line that asks for the same', async () => {
    await using watched = await world.open(`/?${new URLSearchParams({ query: "women's shoes", limit: '50' })}`);
    const { page } = watched;
    await firstTerm(watched).waitFor();
    await page.getByRole('button', { name: 'Copy as' }).click();
    const line = await page.locator('.copy-panel pre').first().innerText();
    // A shell reads the line; in place of curl it hands over what curl would have got.
    const script = `curl() { printf '%s\\n' "$@"; }\n${line}`;
    const [, header = '', url = ''] = execFileSync('sh', ['-c', script], {
      env: { KEYRANK_API_KEY: world.key },
      encoding: 'utf8',
    }).split('\n');
    const [name = '', value = ''] = header.split(': ');
    const answer = await fetch(url, { headers: { [name]: value } });
    const body = (await answer.json()) as { data: { search_term: string }[] };
    expect(body.data[0]?.search_term).toBe(await firstTerm(watched).innerText());
  });
});

describe('one keyword', () => {
  it('is drawn from the row that is at hand, and a comparison with another such row costs nothing', async () => {
    await using watched = await world.open('/?query=shoes');
    const { page } = watched;
    const terms = page.locator('.result-grid .grid-body .col-term a');
    await terms.first().waitFor();
    const [first = '', second = ''] = await terms.allInnerTexts();
    await terms.first().click();
    await page.locator('.chart svg').first().waitFor();
    await page.getByRole('heading', { name: 'With the same words' }).waitFor();
    await page.waitForLoadState('networkidle');
    const spent = watched.asked.length;
    await page.goto(`${world.service.url}/`);
    await page.goBack();
    await page.locator('.chart svg').first().waitFor();
    expect(watched.asked.length).toBeGreaterThan(spent);

    await using again = await world.open('/?query=shoes');
    await again.page.locator('.result-grid .grid-body .col-term a').first().click();
    await again.page.getByRole('heading', { name: 'With the same words' }).waitFor();
    await again.page.getByRole('combobox', { name: 'Compare with' }).fill(second);
    await again.page.keyboard.press('Enter');
    await again.page.locator('.comparison tbody tr').nth(1).waitFor();
    expect(countAsked(again, '/v1/search/keyword')).toBe(1);
    expect(address(again)).toBe(
      `/keyword?${new URLSearchParams([
        ['term', first],
        ['term', second],
      ])}`,
    );
    await again.page.getByText('The numbers').click();
    await expect.poll(() => again.page.locator('.chart-numbers tbody tr').count()).toBe(6);
    await again.page.getByRole('button', { name: `Remove ${first}`, exact: true }).click();
    await again.page.getByRole('heading', { level: 1, name: second, exact: true }).waitFor();
  });

  it('can be zoomed into and out again, and has weeks too', async () => {
    await using watched = await world.open('/keyword?term=running+shoes');
    const { page } = watched;
    const chart = page.locator('.chart-reader');
    await chart.waitFor();
    const box = await chart.boundingBox();
    if (!box) throw new Error('the chart has no box');
    await page.mouse.move(box.x + box.width * 0.3, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.getByRole('button', { name: 'Whole history' }).click();
    await page.getByText('drag to zoom').waitFor();
    const spent = countAsked(watched, '/v1/search/keyword');
    await page.getByRole('button', { name: 'Weekly' }).click();
    await page.locator('.readout-period', { hasText: 'W46, 8–14 Nov 2026' }).waitFor();
    expect(countAsked(watched, '/v1/search/keyword')).toBe(spent);
    expect(watched.problems).toEqual([]);
  });
});

it('remembers which colours the reader chose', async () => {
  await using watched = await world.open('/periods', { colorScheme: 'light' });
  const { page } = watched;
  const paper = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
  const light = await paper();
  await page.getByRole('button', { name: 'Switch to dark colours' }).click();
  const dark = await paper();
  expect(dark).not.toBe(light);
  await page.reload();
  await page.getByRole('button', { name: 'Switch to light colours' }).waitFor();
  expect(await paper()).toBe(dark);
});

it.each([
  ['runing shoes', ['running shoes', 'running shoes women'], [['runing', 'running']]],
  ['iphnoe case', ['iphone case', 'iphone 15 case'], [['iphnoe', 'iphone']]],
  ['humidif', ['humidifiers', 'humidifiers for baby'], [['humidif', 'humidifiers']]],
  ['women’s boots', ["women's boots", 'womens boot'], []],
  ['berries', ['berry bowl'], []],
  ['run', ['running belt'], []],
  ['café', ['cafe table'], []],
  ['boxes', ['box'], []],
] as const)('reads from the results of %s which words were replaced', (query, terms, expected) => {
  expect(listReplacements(query, terms).flatMap(({ typed, found }) => found.map((each) => [typed, each]))).toEqual(
    expected,
  );
});
