// Takes the pictures of docs/screenshots from a running service: node scripts/screenshots.mjs "<the link that the demo prints>".
// Needs Debian's chromium. It makes about ten searches, and tracks some keywords.
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
const PHONE = { width: 390, height: 844 };
const boots = '/?query=boots&max_rank=15000';
const compared = '/keyword?term=snow+boots&term=hiking+boots&term=sandals';

const PICTURES = [
  { name: 'start', path: '/', size: WIDE },
  { name: 'search', path: boots, size: WIDE },
  { name: 'search-dark', path: boots, size: WIDE, scheme: 'dark' },
  { name: 'keyword', path: compared, size: { ...WIDE, height: 1000 } },
  { name: 'trends', path: '/trends?max_rank=5000', size: WIDE },
  { name: 'new-terms', path: '/trends?list=new', size: WIDE },
  { name: 'social', path: '/trends?list=social', size: WIDE },
  { name: 'tracked', path: '/tracked', size: WIDE },
  { name: 'account', path: '/account', size: WIDE },
  { name: 'periods', path: '/periods', size: WIDE },
  { name: 'reference', path: '/docs#tag/search/GET/v1/search/keywords', size: WIDE, ready: 'text=snow boots' },
  { name: 'phone', path: boots, size: PHONE },
  { name: 'phone-keyword', path: '/keyword?term=snow+boots', size: PHONE, scheme: 'dark' },
];

// Something to show on the page of tracked keywords.
const rule = { field: 'latest_rank', operator: 'lt', value: 300 };
const keywords = [
  ...['snow boots', 'hiking boots', 'sandals', 'running shoes for women', 'christmas tree', 'wireless earbuds'],
  ...['water bottle', 'halloween costumes', 'air fryer', 'phone case'],
].map((term, i) => ({ search_term: term, ...(i % 3 === 0 ? { priority_rule: rule } : {}) }));
await fetch(`${origin}/v1/tracked-keywords`, {
  method: 'POST',
  headers: { authorization: `Bearer ${hash.slice('#key='.length)}`, 'content-type': 'application/json' },
  body: JSON.stringify({ keywords }),
});

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run', '--hide-scrollbars'],
});
// Signed in without the link, which would say so on every picture.
const localStorage = [{ name: 'keyrank.key', value: hash.slice('#key='.length) }];
const storageState = { cookies: [], origins: [{ origin, localStorage }] };
for (const { name, path, size, scheme = 'light', ready = 'body' } of PICTURES) {
  if (only && !only.split(',').includes(name)) continue;
  const context = await browser.newContext({ viewport: size, colorScheme: scheme, deviceScaleFactor: 1, storageState });
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && console.log(name, message.text()));
  page.on('pageerror', (error) => console.log(name, error.message));
  await page.goto(origin + path);
  await page.waitForLoadState('networkidle');
  await page.locator(ready).first().waitFor();
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
}
await browser.close();
