import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VIEW_PATHS } from '../../src/http/web-files.ts';
import { startTestService, type TestService } from '../support/service.ts';

const MAX_FIRST_LOAD_BYTES = 80 * 1024;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Bytes as they came over the wire: fetch would unpack them. */
async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(service.url + path, { headers: { 'accept-encoding': 'identity', ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function assetsOf(path: string): Promise<string[]> {
  const { text } = await get(path);
  return [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
}

describe('the page', () => {
  it.each(VIEW_PATHS)('200: %s is the document, asked for again each time', async (path) => {
    const answer = await get(`${path}?query=shoes`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    });
    expect(answer.text).toContain('<div id="app"></div>');
    expect(answer.text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/);
  });

  it('200: /docs has the same policy, but for styles', async () => {
    const [page, reference] = await Promise.all(['/', '/docs'].map((path) => get(path)));
    const policyOf = (answer: typeof page) => answer?.headers.get('content-security-policy')?.split('; ');
    expect(reference?.status).toBe(200);
    expect(policyOf(reference)).toEqual(
      policyOf(page)?.map((rule) => (rule === "style-src 'self'" ? "style-src 'self' 'unsafe-inline'" : rule)),
    );
    expect(reference?.text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/);
  });

  it('200: its files are kept for good', async () => {
    const assets = await assetsOf('/');
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const path of assets) {
      const { status, headers } = await get(path);
      expect([status, headers.get('cache-control')], path).toEqual([200, 'public, max-age=31536000, immutable']);
    }
  });

  it('200: comes in the best form that the browser takes', async () => {
    const [script = ''] = (await assetsOf('/')).filter((path) => path.endsWith('.js'));
    const plain = await get(script);
    const forms: Record<string, string | null> = {};
    for (const accepted of ['br, gzip', 'gzip', 'br;q=0, gzip;q=0.5', 'gzip;q=0', 'zstd']) {
      const { headers, text } = await get(script, { 'accept-encoding': accepted });
      expect(headers.get('vary')).toBe('accept-encoding');
      expect(text).toBe(plain.text);
      forms[accepted] = headers.get('content-encoding');
    }
    expect(forms).toEqual({
      'br, gzip': 'br',
      gzip: 'gzip',
      'br;q=0, gzip;q=0.5': 'gzip',
      'gzip;q=0': null,
      zstd: null,
    });
  });

  it('304: is not sent again to who has it, form by form', async () => {
    const etagOf = async (accepted: string) =>
      (await get('/', { 'accept-encoding': accepted })).headers.get('etag') ?? '';
    const [plain, packed] = [await etagOf('identity'), await etagOf('gzip')];
    expect(plain).not.toBe(packed);
    const again = await get('/', { 'accept-encoding': 'gzip', 'if-none-match': packed });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await get('/', { 'accept-encoding': 'gzip', 'if-none-match': plain })).status).toBe(200);
  });

  it('sends the description of the API compressed, and not at all to who has it', async () => {
    const plain = await get('/openapi.json');
    const packed = await get('/openapi.json', { 'accept-encoding': 'gzip' });
    expect([packed.headers.get('content-encoding'), packed.text]).toEqual(['gzip', plain.text]);
    const etag = packed.headers.get('etag') ?? '';
    expect((await get('/openapi.json', { 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(304);
  });

  it('404 and 405: what is not of the page stays in the envelope, and is the page for a browser', async () => {
    for (const path of [
      '/nothing',
      '/assets/nothing.js',
      '/assets/..%2findex.html',
      '/index.html',
      '/keyword/',
      '/assets',
    ]) {
      const answer = await service.request(path);
      expect([answer.status, answer.json.error.code], path).toEqual([404, 'NOT_FOUND']);
    }
    const browser = await get('/nothing', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([browser.status, browser.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(browser.headers.get('content-security-policy')).toBe(
      (await get('/')).headers.get('content-security-policy'),
    );
    expect(browser.text).toBe((await get('/')).text);
    const posted = await service.request('/trends', { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it('loads with less than 80 KB', async () => {
    const paths = ['/', ...(await assetsOf('/'))];
    const sizes = await Promise.all(
      paths.map(async (path) => {
        const response = await fetch(service.url + path, { headers: { 'accept-encoding': 'gzip' } });
        await response.arrayBuffer();
        return Number(response.headers.get('content-length'));
      }),
    );
    expect(sizes.every((size) => size > 100)).toBe(true);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_FIRST_LOAD_BYTES);
  });
});
