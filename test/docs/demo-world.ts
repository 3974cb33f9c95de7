// A service over the demo data of size s as of a fixed day, for whatever the documentation shows.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openPatientAmazon } from '../support/patient-amazon.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

/** What a month or a week holds depends on the seed and the period alone; this day only says which one is the newest. */
const NOW = '2026-11-15T00:00:00Z';
const NEWEST_MONTH = 'US_Top_Search_Terms_Simple_Month_2026_10_31.csv';
const WRITER = fileURLToPath(new URL('../support/write-demo.mjs', import.meta.url));

export interface DemoWorld extends AsyncDisposable {
  readonly service: TestService;
  /** The newest month is held back until it is asked for, so that there is something to be told of. */
  publishNewestMonth(): Promise<void>;
}

export async function openDemoWorld(): Promise<DemoWorld> {
  const amazon = await openPatientAmazon();
  const service = await startTestService({ KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true', KEYRANK_AMAZON_URL: amazon.url });
  const texts = await demoReports();
  const names = [...texts.keys()];
  const publish = (wanted: (name: string) => boolean, source: 'search' | 'social') =>
    service.publishAll(Object.fromEntries([...texts].filter(([name]) => wanted(name))), source);
  if (!names.includes(NEWEST_MONTH)) throw new Error(`there is no ${NEWEST_MONTH} among ${names.join(', ')}`);
  await publish((name) => name.includes('Top_Search_Terms') && name !== NEWEST_MONTH, 'search');
  await publish((name) => name.includes('Social'), 'social');
  return {
    service,
    publishNewestMonth: () => publish((name) => name === NEWEST_MONTH, 'search'),
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await amazon[Symbol.asyncDispose]();
    },
  };
}

async function demoReports(): Promise<ReadonlyMap<string, string>> {
  await using directory = await openTemporaryDirectory();
  await promisify(execFile)(process.execPath, [WRITER, directory.path, JSON.stringify({ size: 's', now: NOW })]);
  const names = (await readdir(directory.path)).sort();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(directory.path, name), 'utf8')] as const)),
  );
}
