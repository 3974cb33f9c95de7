import { createHash } from 'node:crypto';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoOptions, generateReports } from '../../src/demo/report.ts';

const OPTIONS: DemoOptions = {
  size: { terms: 800, months: 2, weeks: 1, socialTerms: 100 },
  seed: 3,
  now: new Date('2026-11-15T00:00:00Z'),
};

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keyrank-demo-'));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

async function digests(options: DemoOptions): Promise<ReadonlyMap<string, string>> {
  const result = new Map<string, string>();
  for (const report of generateReports(options)) {
    const path = join(directory, report.fileName);
    await report.write(path);
    result.set(
      report.fileName,
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    );
  }
  return result;
}

describe('a demo data set', () => {
  it('is the same bytes for the same seed', async () => {
    const first = await digests(OPTIONS);
    expect(first.size).toBe(5);
    expect(await digests(OPTIONS)).toEqual(first);
  });

  it('is another one for another seed', async () => {
    const first = await digests(OPTIONS);
    for (const [fileName, digest] of await digests({ ...OPTIONS, seed: 4 }))
      expect(first.get(fileName)).not.toBe(digest);
  });

  it('keeps a period as it was when it is generated again a month later', async () => {
    const october = 'US_Top_Search_Terms_Simple_Month_2026_10_31.csv';
    const later = await digests({ ...OPTIONS, now: new Date('2026-12-03T00:00:00Z') });
    expect(later.get(october)).toBeDefined();
    expect(later.get(october)).toBe((await digests(OPTIONS)).get(october));
  });

  it('can be written in any order', async () => {
    const reports = [...generateReports(OPTIONS)].reverse();
    const first = await digests(OPTIONS);
    for (const report of reports) {
      const path = join(directory, report.fileName);
      await report.write(path);
      expect(
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      ).toBe(first.get(report.fileName));
    }
  });

  it('carries the marketplace in its file names', () => {
    const names = [...generateReports({ ...OPTIONS, marketplace: 'CA' })].map((report) => report.fileName);
    expect(names).toEqual([
      'CA_Top_Search_Terms_Simple_Month_2026_09_30.csv',
      'CA_Top_Search_Terms_Simple_Month_2026_10_31.csv',
      'CA_Top_Search_Terms_Simple_Week_2026_11_14.csv',
      'CA_Social_Ranks_Monthly.csv',
      'CA_Social_Ranks_Weekly.csv',
    ]);
  });

  it('leaves no half file behind when it is stopped', async () => {
    const [report] = generateReports(OPTIONS);
    const path = join(directory, 'stopped.csv');
    await expect(report?.write(path, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    await expect(access(path)).rejects.toThrow('ENOENT');
  });
});
