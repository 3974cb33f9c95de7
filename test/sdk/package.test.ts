import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishDemoData } from '../support/demo-data.ts';
import { openSdkUser, type SdkUser } from '../support/sdk-package.ts';
import { startTestService, type TestService } from '../support/service.ts';

const SDK = fileURLToPath(new URL('../../sdk', import.meta.url));
const ADDRESS_IN_EXAMPLES = 'http://127.0.0.1:8080';

let user: SdkUser;
beforeAll(async () => {
  user = await openSdkUser();
});
afterAll(() => user[Symbol.asyncDispose]());

async function read(path: string): Promise<string> {
  return await readFile(join(SDK, path), 'utf8');
}

describe('the package', () => {
  it('holds code, types and a README, and needs nothing', async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: SDK,
    });
    const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['package.json', 'README.md', 'LICENSE', 'dist/keyrank.js', 'dist/keyrank.d.ts']),
    );
    expect(paths.filter((path) => !/^(package\.json|README\.md|LICENSE|dist\/.+(\.js|\.d\.ts))$/.test(path))).toEqual(
      [],
    );
    const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(await read('package.json'));
    expect([dependencies, peerDependencies, optionalDependencies]).toEqual([undefined, undefined, undefined]);
  });

  it('has the version, the license and the needs of the service', async () => {
    const [own, service] = [JSON.parse(await read('package.json')), JSON.parse(await read('../package.json'))];
    expect([own.version, own.license, own.engines]).toEqual([service.version, service.license, service.engines]);
    expect(await read('LICENSE')).toBe(await read('../LICENSE'));
  });

  it.each([
    ['Node', {}],
    ['a bundler and a browser', { module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2022', 'DOM'], types: [] }],
  ])('has types for %s', async (_name, options) => {
    const right = `
      import { createKeyrank, KeyrankError, type Keyrank } from 'keyrank-sdk';
      const keyrank: Keyrank = createKeyrank({ baseUrl: '', apiKey: '' });
      export const rank: number | undefined = (await keyrank.searchKeywords({ query: [''] })).data[0]?.data['01-2026'];
      for await (const { change } of keyrank.all.listRankChanges({ type: 'W' })) change.toFixed();
      export const code = new KeyrankError({ code: 'UNREACHABLE', message: '' }).code === 'NOT_FOUND';`;
    expect(await user.compile({ 'right.ts': right }, options)).toBe('');
    const wrong = `
      import { createKeyrank } from 'keyrank-sdk';
      const keyrank = createKeyrank({ baseUrl: '', apiKey: '' });
      await keyrank.searchKeywords({ query: [''], brands: [''] });
      await keyrank.listRankChanges({ type: 'monthly' });
      keyrank.all.listPeriods();`;
    const lines = (await user.compile({ 'wrong.ts': wrong }, options))
      .split('\n')
      .filter((line) => /error TS/.test(line));
    expect(lines.map((line) => /\((\d+),/.exec(line)?.[1])).toEqual(['4', '5', '6']);
  });
});

describe('the examples of its README', () => {
  let service: TestService;
  let settings: Record<string, string>;
  let examples: readonly string[];

  beforeAll(async () => {
    service = await startTestService();
    await publishDemoData(service);
    settings = { KEYRANK_API_KEY: await service.makeKey() };
    const blocks = [...(await read('README.md')).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
    examples = blocks.map((code) => code.replaceAll(ADDRESS_IN_EXAMPLES, service.url));
    const files = Object.fromEntries(examples.map((code, i) => [`example-${i}.ts`, code]));
    expect(await user.compile(files)).toBe('');
  }, 300_000);
  afterAll(() => service[Symbol.asyncDispose]());

  it('are five', () => {
    expect(examples).toHaveLength(5);
  });

  it('search', async () => {
    const { stdout } = await user.run('example-0.ts', settings);
    expect(stdout).toMatch(/^\d+ keywords\n(\d+ .+\n){1,3}$/);
  });

  it('read every row', async () => {
    const { stdout } = await user.run('example-1.ts', settings);
    const { json } = await service.request('/v1/trends/change-by?direction=positive&limit=1000', {
      key: settings.KEYRANK_API_KEY,
    });
    expect(stdout.match(/: \d+ → \d+\n/g)?.length ?? 0).toBe(json.pagination.total_count);
  });

  it('write a file', async () => {
    await user.run('example-2.ts', settings);
    expect((await stat(join(user.path, 'running-shoes.xlsx'))).size).toBeGreaterThan(1000);
  });

  it('track, and show what an error says', async () => {
    const { stdout } = await user.run('example-3.ts', settings);
    expect(stdout).toMatch(/^CONFLICT This keyword is tracked already\. Change it with PATCH \S+ [\w-]{10,}\n$/);
    const { json } = await service.request('/v1/tracked-keywords', { key: settings.KEYRANK_API_KEY });
    expect(json.data).toHaveLength(2);
  });

  it('verify webhooks', async () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    process.env.WEBHOOK_SECRET = secret;
    const { POST } = (await import(join(user.path, 'compiled/example-4.js'))) as {
      POST: (request: Request) => Promise<Response>;
    };
    const body = JSON.stringify({ type: 'period.published', timestamp: new Date().toISOString(), data: {} });
    const now = new Date();
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
    };
    const send = async (text: string) =>
      (await POST(new Request('https://hooks.example.com', { method: 'POST', headers, body: text }))).status;
    expect(await send(body)).toBe(204);
    expect(await send(`${body} `)).toBe(400);
  });
});
