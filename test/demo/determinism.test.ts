import { createHash } from 'node:crypto';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoOptions, generateReports } from '../../demo/report.ts';

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

  it('is the same bytes as in earlier versions', async () => {
    expect(Object.fromEntries(await digests(OPTIONS))).toEqual({
      'US_Social_Ranks_Monthly.csv': '07c8935f95ebee56b6db019d62e273b2d1cbf4c51b32af7468fd2f91f70d9667',
      'US_Social_Ranks_Weekly.csv': 'da8d5bf0b3afd7c78505db42d643532173b76e98cd96e262767dad4ed470e0f7',
      'US_Top_Search_Terms_Simple_Month_2026_09_30.csv':
        '9442462bdc23e240730a2928ecd37d9af381b28b5e613f75ccda53db3ee420cb',
      'US_Top_Search_Terms_Simple_Month_2026_10_31.csv':
        '393bbada3c8565e9f32a343c31e3a3399732b97342073ca05cb301a98fcb07ad',
      'US_Top_Search_Terms_Simple_Week_2026_11_14.csv':
        'd4e011c316a89b7ad3b3871ee68e4a17e1c44e6d2ddb625dd6e2b29a93e4cb80',
    });
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
