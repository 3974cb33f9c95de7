import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sieveRecords } from './record-sieve.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keyrank-sieve-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function sieve(content: string | Buffer, given: { skipLines?: number; lineBytes?: number } = {}) {
  const [path, copyPath] = [join(directory, 'report.csv'), join(directory, 'copy.csv')];
  await writeFile(path, content);
  const broken = await sieveRecords({ path, copyPath, columns: 3, skipLines: 0, lineBytes: 1000, ...given });
  return {
    kept: await readFile(copyPath, 'utf8'),
    broken: broken.map(({ line, lines, reason }) => [line, lines, reason]),
  };
}

describe('the sieve', () => {
  it.each([
    ['plain fields', '1,2,3\n4,5,6\n'],
    ['quoted fields with commas, quotes and line breaks', '"1","a, ""b""\nc",3\n4,5,6\n'],
    ['spaces around quotes, as DuckDB does', '1, "2,x" ,3\n'],
    ['a quote inside a field', '1,a"b,3\n'],
    ['an empty field behind the last', '1,2,3,\n'],
    ['blank lines', '1,2,3\n\n\n4,5,6\n'],
    ['CR LF', '1,2,3\r\n4,"5\r\nx",6\r\n'],
    ['a last line without its end', '1,2,3\n4,5,"6"'],
    ['whatever stands in the lines that are skipped', 'x\n"y\n1,2,3\n', 2],
  ])('keeps %s', async (_what, text, skipLines = 0) => {
    expect(await sieve(text, { skipLines })).toEqual({ kept: text, broken: [] });
  });

  it.each([
    ['too few fields', '1,2\n', 'fields'],
    ['too many fields', '1,2,3,4\n', 'fields'],
    ['text behind a closing quote', '1,"2"x,3\n', 'quotes'],
    ['a carriage return alone', '1,a\rb,3\n', 'quotes'],
    ['bytes that are not UTF-8', Buffer.from([0x31, 0x2c, 0xff, 0x2c, 0x33, 0x0a]), 'encoding'],
    ['a quote that is never closed', '1,"2,3\n', 'quotes'],
    ['a record that is too long', `1,${'x'.repeat(2000)},3\n`, 'too-long'],
  ])('takes out %s, and nothing else', async (_what, bad, reason) => {
    const good = '1,2,3\n';
    const content = Buffer.concat([Buffer.from(good), Buffer.from(bad), Buffer.from(good)]);
    expect(await sieve(content)).toEqual({ kept: good + good, broken: [[2, 1, reason]] });
  });

  it('goes on with the next line behind a quote that is not closed for long', async () => {
    const good = '1,2,3\n'.repeat(500);
    expect(await sieve(`1,"2,3\n${good}1,"2,3\n${good}`)).toEqual({
      kept: good + good,
      broken: [
        [1, 1, 'quotes'],
        [502, 1, 'quotes'],
      ],
    });
  });

  it('finds the same wherever the file is cut into pieces', async () => {
    const record = '"1","a ""quoted"" text, of\ntwo lines",3\n';
    const [good, bad] = [record.repeat(60_000), '1,2\n'];
    const text = `${good}${bad}${good}${bad}${good}`;
    expect(Buffer.byteLength(text)).toBeGreaterThan(4 * 1024 * 1024);
    const { kept, broken } = await sieve(text);
    expect(kept === good + good + good).toBe(true);
    expect(broken).toEqual([
      [120_001, 1, 'fields'],
      [240_002, 1, 'fields'],
    ]);
  });

  it('gives up on a file that is broken all over', async () => {
    await expect(sieve('1,2\n'.repeat(100_001))).rejects.toMatchObject({
      message: 'More than 100,000 lines cannot be split into fields.',
      line: 1,
    });
  });
});
