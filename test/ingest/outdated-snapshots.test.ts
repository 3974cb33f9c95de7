// A data directory of an earlier version of keyrank, or one whose snapshots were deleted or damaged, is served as if nothing had happened.
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../src/boot.ts';
import { verifyFiles } from '../../src/ingest/publish/verification.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { COMPILED, sendRequest, startTestService, type TestService, testConfig } from '../support/service.ts';

const SEARCH = '/v1/search/keywords?query=shoes';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey();
  const rows = ['monthly,01-2026,running shoes,2', 'monthly,02-2026,running shoes,1', 'weekly,07-2026,trail shoes,1'];
  await service.publish('US_ranks.csv', ['period_type,period,search_term,rank', ...rows, ''].join('\n'));
});
afterAll(() => service[Symbol.asyncDispose]());

async function listSnapshots(): Promise<readonly string[]> {
  const directory = join(service.dataDirectory, 'snapshots', 'US');
  return (await readdir(directory)).map((name) => join(directory, name));
}

/** As a program of another format would have written it. */
async function changeFormat(directory: string): Promise<void> {
  const path = join(directory, 'snapshot.json');
  const [, body = ''] = /"snapshot":(.*)\}\n$/s.exec(await readFile(path, 'utf8')) ?? [];
  const older = JSON.stringify({ ...JSON.parse(body), format: 1 });
  await writeFile(path, `{"crc32":${crc32(older)},"snapshot":${older}}\n`);
}

async function removeRows(directory: string): Promise<void> {
  for (const name of await readdir(directory)) if (name.startsWith('rows-')) await rm(join(directory, name));
}

async function flipByte(path: string): Promise<void> {
  const bytes = await readFile(path);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

describe('snapshots', () => {
  it.each([
    ['of another format', changeFormat],
    ['that are missing', (directory: string) => rm(directory, { recursive: true })],
    ['with a damaged manifest', (directory: string) => flipByte(join(directory, 'snapshot.json'))],
    ['with a flipped byte', (directory: string) => flipByte(join(directory, 'term-text.0.bin'))],
    ['with a file that is cut', (directory: string) => truncate(join(directory, 'term-index.bin'), 3)],
    ['of which a file is missing', (directory: string) => rm(join(directory, 'stem-postings.bin'))],
    ['without the rows of their periods', removeRows],
  ])('%s are built anew when a server starts, and answers stay the same', async (_what, change) => {
    const expected = (await service.request(SEARCH, { key })).json.data;
    expect(expected).toHaveLength(1);
    const before = await loadManifest(service.database.operator);
    for (const directory of await listSnapshots()) await change(directory);
    const config = testConfig(service.database, { KEYRANK_DATA_DIR: service.dataDirectory });
    // Two at once: one builds, the other waits and finds it done.
    const servers = await Promise.all([startService(config, COMPILED), startService(config, COMPILED)]);
    try {
      for (const { url } of servers) {
        expect((await sendRequest(url + SEARCH, { key })).json.data).toEqual(expected);
        expect((await sendRequest(`${url}${SEARCH}&type=weekly`, { key })).json.data).toHaveLength(1);
      }
    } finally {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    }
    const manifest = await loadManifest(service.database.operator);
    expect(manifest).toMatchObject({
      version: before.version + 1,
      computedAt: before.computedAt,
      periods: before.periods,
    });
    const { faults } = await verifyFiles({ manifest, dataDirectory: service.dataDirectory, onFile: () => {} });
    expect(faults).toEqual([]);
  });

  it('cannot be built anew when a segment is damaged too, and the server says which and does not start', async () => {
    for (const directory of await listSnapshots()) await flipByte(join(directory, 'term-text.0.bin'));
    const { periods } = await loadManifest(service.database.operator);
    const [damaged] = periods.filter(({ period }) => period.frequency === 'monthly');
    const path = join(service.dataDirectory, damaged?.segment.path ?? '');
    await flipByte(path);
    const config = testConfig(service.database, { KEYRANK_DATA_DIR: service.dataDirectory });
    await expect(startService(config, COMPILED)).rejects.toThrow(
      `The published file ${damaged?.segment.path} has other content than published.`,
    );
    await flipByte(path);
  });
});
