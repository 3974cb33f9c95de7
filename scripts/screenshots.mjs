// Takes the pictures of docs/screenshots from a running service: node scripts/screenshots.mjs "<the link that the demo prints>".
// Needs Debian's chromium. It makes about ten searches, and tracks some keywords and makes a list.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const [link, only] = process.argv.slice(2);
if (!link?.includes('#key=')) throw new Error('Give the link that `npm start` prints.');
const { origin, hash } = new URL(link);
const folder = fileURLToPath(new URL('../docs/screenshots', import.meta.url));
mkdirSync(folder, { recursive: true });

const WIDE = { width: 1440, height: 900 };
/** Of what has many rows, which make a picture large. */
const SHORT = { width: 1440, height: 560 };
const PHONE = { width: 390, height: 844 };
const boots = '/?query=boots&max_rank=15000';
const compared = '/keyword?term=snow+boots&term=hiking+boots&term=sandals';

const PICTURES = [
  { name: 'start', path: '/', size: WIDE },
  { name: 'search', path: boots, size: SHORT, act: selectRows },
  { name: 'search-dark', path: boots, size: SHORT, scheme: 'dark', act: openRoots },
  { name: 'keyword', path: compared, size: { ...WIDE, height: 1000 } },
  { name: 'keyword-shares', path: '/keyword?term=snow+boots&chart=shares', size: WIDE, ready: '.plot-column' },
  { name: 'product', path: '/product?asin=B0BKA4K7FK', size: { width: 820, height: 1100 }, ready: '.plot-area' },
  { name: 'trends', path: '/trends?max_rank=5000', size: SHORT },
  { name: 'new-terms', path: '/trends?list=new', size: WIDE },
  { name: 'seasonal', path: '/trends?list=seasonal', size: SHORT, act: showHistories },
  { name: 'lookup', path: '/lookup', size: WIDE, act: lookUp },
  { name: 'social', path: '/trends?list=social', size: SHORT },
  { name: 'tracked', path: '/tracked', size: WIDE },
  { name: 'list', path: '/lists', size: SHORT, act: tagItems },
  { name: 'account', path: '/account', size: SHORT },
  { name: 'periods', path: '/periods', size: WIDE },
  { name: 'team', path: '/team', size: WIDE },
  { name: 'reference', path: '/docs#tag/search/GET/v1/search/keywords', size: SHORT, ready: 'text=snow boots' },
  { name: 'phone', path: boots, size: PHONE },
  { name: 'phone-keyword', path: '/keyword?term=snow+boots', size: PHONE, scheme: 'dark' },
];

async function openRoots(page) {
  await page.getByRole('button', { name: 'Roots' }).click();
  await page.locator('.roots-table').waitFor();
}

async function tagItems(page) {
  await page.getByRole('link', { name: 'Winter boots' }).click();
  for (const row of [0, 1, 2]) await page.locator('.item-grid .grid-body input').nth(row).check();
  await page.getByRole('button', { name: 'Tag 3' }).click();
}

async function selectRows(page) {
  for (const row of [1, 2, 4]) await page.locator('.grid-body .pick input').nth(row).click();
  await page.locator('.grid-body .sparkline').nth(3).hover();
}

async function showHistories(page) {
  await page.getByRole('button', { name: 'History and products' }).click();
  await page.locator('.grid-body .sparkline').first().waitFor();
}

async function lookUp(page) {
  const terms = [
    'snow boots',
    'hiking boots',
    'sandals',
    'my own brand',
    'water bottle',
    'christmas tree',
    'desk lamp',
  ];
  await page.getByRole('textbox').fill([...terms, 'a product of tomorrow', 'phone case'].join('\n'));
  await page.getByRole('button', { name: /^Look up/ }).click();
  await page.getByText('not found').click();
}

// Something to show on the page of tracked keywords.
const rule = { field: 'latest_rank', operator: 'lt', value: 300 };
const keywords = [
  ...['snow boots', 'hiking boots', 'sandals', 'running shoes for women', 'christmas tree', 'wireless earbuds'],
  ...['water bottle', 'halloween costumes', 'air fryer', 'phone case'],
].map((term, i) => ({ search_term: term, ...(i % 3 === 0 ? { priority_rule: rule } : {}) }));
await post('/v1/tracked-keywords', { keywords });
// And a list, once: its name is taken the next time.
const { data: list } = await post('/v1/lists', { name: 'Winter boots', notes: 'for the monthly review' });
if (list) {
  const boots = ['snow boots', 'snow boots for women', 'hiking boots', 'boots for men', 'boots for work'];
  const items = boots.map((term, i) => ({ search_term: term, tags: i % 2 === 0 ? ['core'] : [] }));
  await post(`/v1/lists/${list.id}/items`, { items: [...items, { asin: 'B0BKA4K7FK', notes: 'a competitor' }] });
}

async function post(path, body) {
  const headers = { authorization: `Bearer ${hash.slice('#key='.length)}`, 'content-type': 'application/json' };
  return await (await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run', '--hide-scrollbars'],
});
// Signed in without the link, which would say so on every picture.
const localStorage = [{ name: 'keyrank.key', value: hash.slice('#key='.length) }];
const storageState = { cookies: [], origins: [{ origin, localStorage }] };
for (const { name, path, size, scheme = 'light', ready = 'body', act } of PICTURES) {
  if (only && !only.split(',').includes(name)) continue;
  const touch = size === PHONE ? { isMobile: true, hasTouch: true } : {};
  const look = { viewport: size, colorScheme: scheme, deviceScaleFactor: 1, ...touch };
  const context = await browser.newContext({ ...look, storageState });
  // Whoever is told of news is never at rest.
  await context.route('**/v1/events*', (route) => route.abort());
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && console.log(name, message.text()));
  page.on('pageerror', (error) => console.log(name, error.message));
  await page.goto(origin + path);
  if (name === 'start') {
    await page.locator('.mini-list a').first().waitFor();
    const shownMs = await page.evaluate('performance.now()');
    console.log(`The start page shows its data after ${Math.round(shownMs)} ms.`);
  }
  await page.waitForLoadState('networkidle');
  await page.locator(ready).first().waitFor();
  await act?.(page);
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
}
await browser.close();
