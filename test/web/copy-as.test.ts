// What every view gives to programs: a tool call that an agent can make, and code that the SDK's users can compile and run.
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSdkUser, type SdkUser } from '../support/sdk-package.ts';
import { HOSTILE_TERM, openWebWorld, type WatchedPage, type WebWorld } from './web-world.ts';

/** Each view by its address, and how many rows its program prints at least. */
const VIEWS: readonly (readonly [string, number])[] = [
  ['/?query=shoes&query=boots&max_rank=500&min_words=2&type=weekly&order_by=best_rank&exclude_nulls=true', 1],
  ['/?query=shoes&category=Other&exclude_query=kids%27+%22shoes%22&brand=Acme%5C&method=similar&page=2', 0],
  ['/keyword?term=running+shoes&type=weekly', 1],
  ['/keyword?term=running+shoes&term=sandals', 2],
  [`/keyword?term=${encodeURIComponent(HOSTILE_TERM)}`, 1],
  ['/trends?direction=positive&threshold=5&order_by=change_percentage&order_direction=DESC', 1],
  ['/trends?list=new&max_rank=300', 0],
  ['/trends?list=social&order_by=end_rank&order_direction=ASC', 1],
  ['/tracked', 0],
  ['/periods', 1],
  ['/account', 1],
];

let world: WebWorld;
let user: SdkUser;
beforeAll(async () => {
  [world, user] = await Promise.all([openWebWorld(), openSdkUser()]);
}, 300_000);
afterAll(async () => {
  await user[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

async function readRecipe({ page }: WatchedPage, name: string): Promise<string> {
  const section = page.locator('.copy-panel section').filter({ has: page.getByRole('heading', { name }) });
  return await section.locator('pre').innerText();
}

describe.each(VIEWS)('%s', (path, minRows) => {
  it('gives a tool call and a program that work', async () => {
    await using watched = await world.open(path);
    const { page } = watched;
    await page.getByRole('button', { name: 'Copy as' }).click();

    const client = new Client({ name: 'test', version: '1' });
    const headers = { authorization: `Bearer ${world.key}` };
    const address = new URL('/mcp', world.service.url);
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    const call = JSON.parse(await readRecipe(watched, 'MCP'));
    if (path.startsWith('/?')) {
      // Whatever narrows the view narrows the call.
      const asked = [...new URL(path, world.service.url).searchParams.keys()];
      expect(Object.keys(call.arguments)).toEqual(expect.arrayContaining(asked));
    }
    const result = await client.callTool(call);
    await client.close();
    expect(result.isError, JSON.stringify(result.content)).not.toBe(true);

    const program = await readRecipe(watched, 'SDK');
    expect(program).not.toContain(world.key);
    const counting = program.replace('console.log(data)', 'console.log([data].flat().length)');
    expect(await user.compile({ 'view.ts': program, 'counting.ts': counting })).toBe('');
    await user.run('view.ts', { KEYRANK_API_KEY: world.key });
    const { stdout } = await user.run('counting.ts', { KEYRANK_API_KEY: world.key });
    expect(Number(stdout)).toBeGreaterThanOrEqual(minRows);

    await page.getByLabel('Put my key in').check();
    expect(await user.compile({ 'keyed.ts': await readRecipe(watched, 'SDK') })).toBe('');
    await user.run('keyed.ts', {});
    await page.getByLabel('Put my key in').uncheck();
  });
});

it('runs the SDK in a browser too, under the policy of the page', async () => {
  await using watched = await world.open('/account');
  const { page } = watched;
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
