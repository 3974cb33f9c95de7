// What every view gives to programs: a tool call that an agent can make, and code that the SDK's users can compile and run.
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSdkUser, type SdkUser } from '../support/sdk-package.ts';
import { HOSTILE_TERM, openWebWorld, type WatchedPage, type WebWorld } from './web-world.ts';

/** Each view by its address, and how many rows its program prints at least. */
const VIEWS: readonly (readonly [string, number])[] = [
  ['/?query=shoes&query=boots&max_rank=500&min_words=2&type=weekly&order_by=best_rank&exclude_nulls=true', 1],
  ['/?query=shoes&category=Other&exclude_query=kids%27+%22shoes%22&brand=Acme%5C&method=similar&page=2', 0],
  ['/keyword?term=running+shoes&type=weekly', 1],
  ['/keyword?term=running+shoes&term=sandals', 2],
  [`/keyword?term=${encodeURIComponent(HOSTILE_TERM)}`, 1],
  ['/product?asin=B0HOSTILE1&order_by=click_share', 1],
  ['/product?asin=B0HOSTILE1&asin=B0ZZZZZZZ9&mode=any', 1],
  ['/trends?direction=positive&threshold=5&order_by=change_percentage&order_direction=DESC', 1],
  ['/trends?list=new&max_rank=300', 0],
  ['/trends?list=seasonal&within_weeks=20&order_by=weeks_until_peak&order_direction=ASC', 0],
  ['/trends?list=social&order_by=end_rank&order_direction=ASC', 1],
  ['/tracked', 0],
  ['/periods', 1],
  ['/account', 1],
];

let world: WebWorld;
let user: SdkUser;
let watched: WatchedPage;
let client: Client;
beforeAll(async () => {
  [world, user] = await Promise.all([openWebWorld(), openSdkUser()]);
  watched = await world.open('/account');
  client = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${world.key}` };
  const address = new URL('/mcp', world.service.url);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
}, 300_000);
afterAll(async () => {
  await client.close();
  await user[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

async function readRecipe({ page }: WatchedPage, name: string): Promise<string> {
  const section = page.locator('.copy-panel section').filter({ has: page.getByRole('heading', { name }) });
  return await section.locator('pre').innerText();
}

/** The program of each view, and the same with the key in it. They are compiled together: the compiler takes longer to start than to compile. */
const programs = new Map<string, { readonly plain: string; readonly keyed: string }>();

it.each(VIEWS)('%s gives a tool call that works', async (path) => {
  const { page } = watched;
  await page.goto(`${world.service.url}${path}`);
  await page.getByRole('button', { name: 'Copy as' }).click();
  const call = JSON.parse(await readRecipe(watched, 'MCP'));
  if (path.startsWith('/?')) {
    // Whatever narrows the view narrows the call.
    const asked = [...new URL(path, world.service.url).searchParams.keys()];
    expect(Object.keys(call.arguments)).toEqual(expect.arrayContaining(asked));
  }
  const result = await client.callTool(call);
  expect(result.isError, JSON.stringify(result.content)).not.toBe(true);

  const plain = await readRecipe(watched, 'SDK');
  expect(plain).not.toContain(world.key);
  await page.getByLabel('Put my key in').check();
  programs.set(path, { plain, keyed: await readRecipe(watched, 'SDK') });
  await page.getByLabel('Put my key in').uncheck();
});

it('gives programs that compile and run, with the key in them or beside them', async () => {
  const texts = VIEWS.flatMap(([path], i) => {
    const { plain = '', keyed = '' } = programs.get(path) ?? {};
    const counting = plain.replace('console.log(data)', 'console.log([data].flat().length)');
    return Object.entries({ [`plain-${i}.ts`]: plain, [`counting-${i}.ts`]: counting, [`keyed-${i}.ts`]: keyed });
  });
  expect(programs.size).toBe(VIEWS.length);
  expect(await user.compile(Object.fromEntries(texts))).toBe('');
  for (const [i, [path, minRows]] of VIEWS.entries()) {
    const { stdout } = await user.run(`counting-${i}.ts`, { KEYRANK_API_KEY: world.key });
    expect(Number(stdout), path).toBeGreaterThanOrEqual(minRows);
  }
  // As it was copied; views differ in the line that asks alone.
  await user.run('plain-0.ts', { KEYRANK_API_KEY: world.key });
  await user.run('keyed-0.ts', {});
});

it('runs the SDK in a browser too, under the policy of the page', async () => {
  const { page } = watched;
  watched.problems.length = 0;
  await page.goto(`${world.service.url}/account`);
  await page.route('**/sdk/**', (route) => {
    const { pathname } = new URL(route.request().url());
    return route.fulfill({ path: join(user.path, 'node_modules/keyrank-sdk/dist', pathname.slice('/sdk/'.length)) });
  });
  // As text, because the test's own loader would take the import for one of its modules.
  const answers = await page.evaluate<unknown>(`(async () => {
    const { createKeyrank, verifyWebhook } = await import('/sdk/keyrank.js');
    const keyrank = createKeyrank({ baseUrl: location.origin, apiKey: '${world.key}', maxWaitSeconds: 1 });
    const { data } = await keyrank.searchKeywords({ query: ['running shoes'], limit: 1 });
    let rows = 0;
    for await (const row of keyrank.all.listSocialMediaRanks({ limit: 30 })) rows += 1;
    const failure = await keyrank.searchKeywords({ query: [''] }).catch((error) => error.code);
    const refusal = await verifyWebhook({ secret: 'whsec_AAAA', headers: new Headers(), body: '' }).catch(String);
    return [data.length, rows > 30, failure, refusal];
  })()`);
  expect(answers).toEqual([1, true, 'INVALID_PARAMETERS', 'KeyrankError: The header webhook-id is missing.']);
  expect(watched.problems).toEqual([]);
});
