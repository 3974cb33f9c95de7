// Item ids of Walmart: imported by the command with and without a marketplace, and found by whoever may search.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadManifest } from '../../../src/snapshot/manifest/manifest-rows.ts';
import { fixtureRows, walmartReport, writeReport } from '../../ingest/report-fixture.ts';
import { runKeyrank } from '../../support/process.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey({ subscription: { plan: 'studio' } });
  const reports = join(service.dataDirectory, '..', 'reports');
  await mkdir(reports);
  const path = await writeReport(reports, 'top_search_trends.csv', walmartReport(fixtureRows(2)));
  const settings = { DATABASE_URL: service.database.url.href, KEYRANK_DATA_DIR: service.dataDirectory };
  for (const flags of [[], ['--marketplace', 'CA']]) {
    const { code, stdout, stderr } = await runKeyrank(['import', path, ...flags], settings);
    expect(code, stdout + stderr).toBe(0);
  }
  const { version } = await loadManifest(service.database.operator);
  while (service.running.dataVersion < version) await sleep(20);
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

describe.each(['WM', 'CA'])('an item of %s', (marketplace) => {
  const place = `type=weekly&marketplace=${marketplace}`;

  it('is found by its id, as short as it is', async () => {
    const answer = await service.request(`/v1/search/asin?asin=500021&${place}`, { key });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.pagination.total_count).toBe(1);
    expect(answer.json.data).toMatchObject([
      {
        search_term: 'term 2',
        latest_data: { products: [{ asin: '500020' }, { asin: '500021' }, { asin: '500022' }] },
      },
    ]);
  });

  it('is found among several ids, and orders by its own share', async () => {
    const answer = await service.request(
      `/v1/search/asin?asin=500012&asin=500020&asin=1&${place}&order_by=click_share`,
      { key },
    );
    expect(answer.json.data.map((result: { search_term: string }) => result.search_term)).toEqual(['term 1', 'term 2']);
  });

  it('has a page and keywords of its own', async () => {
    const { json } = await service.request(`/v1/products/500021?${place}`, { key });
    expect(json.data).toMatchObject({ asin: '500021', entered: null, periods: [{ keywords: 1, place_2: 1 }] });
    const keywords = await service.request(`/v1/products/500021/keywords?${place}`, { key });
    expect(keywords.json.data).toMatchObject([{ search_term: 'term 2', place: 2 }]);
  });

  it('filters keywords', async () => {
    const answer = await service.request(`/v1/search/keywords?query=term&product=500010&${place}`, { key });
    expect(answer.json.data).toMatchObject([{ search_term: 'term 1' }]);
  });

  it('is found by the tool for agents', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    const headers = { authorization: `Bearer ${key}` };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url), { requestInit: { headers } }));
    const input = { asin: ['500011'], type: 'weekly', marketplace };
    const { structuredContent, isError } = await client.callTool({ name: 'search_asin', arguments: input });
    await client.close();
    expect(isError ?? false, JSON.stringify(structuredContent)).toBe(false);
    expect(JSON.stringify(structuredContent)).toContain('term 1');
    expect(JSON.stringify(structuredContent)).not.toContain('term 2');
  });
});
