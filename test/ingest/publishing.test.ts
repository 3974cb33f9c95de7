import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importReports } from '../../src/ingest/importer.ts';
import { describeFile } from '../../src/ingest/publish/durable-file.ts';
import { sweepLeftovers } from '../../src/ingest/publish/file-publisher.ts';
import { verifyFiles } from '../../src/ingest/publish/verification.ts';
import { listStoredFiles } from '../../src/snapshot/manifest/manifest.ts';
import { MANIFEST_CHANNEL } from '../../src/snapshot/manifest/manifest-rows.ts';
import { currentReport, type FixtureRow, fixtureRow, fixtureRows, WEEK_NAME, writeReport } from './report-fixture.ts';
import { KEEP_REVISIONS_MS, openWorkbench, TEST_OPTIONS, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
beforeEach(() => bench.reset());
afterAll(() => bench[Symbol.asyncDispose]());

/** Imports rows as a week of their own. */
async function importWeek(date: string, rows: readonly FixtureRow[]) {
  const text = currentReport(rows.map((row) => ({ ...row, date }))).replace(/^.*\n/, '');
  const name = `US_Top_Search_Terms_Simple_Week_${date.replaceAll('-', '_')}.csv`;
  return await bench.importOne(await writeReport(bench.reports, name, text));
}

async function listDataFiles(): Promise<readonly string[]> {
  const files: string[] = [];
  for (const folder of ['segments', 'dictionaries', 'snapshots']) {
    const entries = await readdir(join(bench.dataDirectory, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) if (entry.isFile()) files.push(join(entry.parentPath, entry.name));
  }
  return files;
}

/** Makes the files look as earlier versions left them: no mark in segments, and a delta that gives a product another title. */
async function makeLegacy(): Promise<void> {
  const { periods, dictionaries } = await bench.manifest();
  const products = dictionaries.find((delta) => delta.kind === 'products');
  if (!products) throw new Error('no products');
  const rewrite = async (path: string, { target = path, where = '' } = {}) => {
    const from = join(bench.dataDirectory, path);
    const to = join(bench.dataDirectory, target);
    await copyParquet({ from, to: `${to}.new`, where });
    await rename(`${to}.new`, to);
    return await describeFile(to);
  };
  for (const { segment } of periods) {
    const { sha256, sizeBytes } = await rewrite(segment.path);
    await bench.database.owner.query('UPDATE rank_periods SET sha256 = $1, size_bytes = $2 WHERE path = $3', [
      ...[sha256, sizeBytes, segment.path],
    ]);
  }
  const target = products.file.path.replace('00001', '00002');
  const { sha256, sizeBytes } = await rewrite(products.file.path, { target, where: 'id = 0' });
  await bench.database.owner.query(
    `INSERT INTO dictionary_deltas (marketplace, kind, sequence, next_id, path, size_bytes, sha256)
     VALUES ('US', 'products', 2, $1, $2, $3, $4)`,
    [products.nextId, target, sizeBytes, sha256],
  );
}

async function copyParquet({
  from,
  to,
  where,
}: {
  readonly from: string;
  readonly to: string;
  readonly where: string;
}) {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const replaced = where === '' ? '*' : `* REPLACE ('Third' AS title, hash('Third') AS title_hash)`;
  const condition = where === '' ? '' : `WHERE ${where}`;
  await connection.run(
    `COPY (SELECT ${replaced} FROM read_parquet('${from}') ${condition}) TO '${to}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
}

describe('publishing', () => {
  it('of the same content again changes nothing and says so', async () => {
    const rows = fixtureRows(5);
    await importWeek('2026-07-11', rows);
    const before = await bench.manifest();
    const again = await importWeek('2026-07-11', rows.toReversed());
    expect(again.periods).toMatchObject([{ status: 'unchanged', revision: 1 }]);
    expect(await bench.manifest()).toEqual(before);
  });

  it.each([
    ['a rank', { rank: '77' }],
    ['a brand', { brands: ['Other', 'Bolt', 'Corvid'] }],
    ['a category', { categories: ['Kitchen', 'Home', ''] }],
    ['a share', { products: fixtureRow(2).products.map((product) => ({ ...product, conversion: '' })) }],
    ['a product', { products: fixtureRow(2).products.toReversed() }],
  ] as const)(
    'of content with another value for %s is a new revision that replaces the old one',
    async (_what, given) => {
      const first = await importWeek('2026-07-11', fixtureRows(3));
      const second = await importWeek('2026-07-11', fixtureRows(3, { 2: given }));
      expect(second.periods).toMatchObject([{ status: 'published', revision: 2, newTerms: 0 }]);
      expect(second.periods[0]?.digest).not.toBe(first.periods[0]?.digest);
      const { periods, version } = await bench.manifest();
      expect(version).toBe(2);
      expect(periods.map((period) => period.segment.path)).toEqual([
        expect.stringMatching(/^segments\/US\/search-weekly-2026-28-r2\.[0-9a-f]{8}\.parquet$/),
      ]);
    },
  );

  it('writes statistics, dates and file names into the manifest', async () => {
    await importWeek('2026-07-11', fixtureRows(3));
    await importWeek('2026-07-18', fixtureRows(4));
    const manifest = await bench.manifest();
    expect(manifest.totalDataPoints).toBe(7 * 7);
    expect(manifest.computedAt).toEqual(manifest.periods[1]?.publishedAt);
    expect(manifest.periods.map(({ startDate, endDate, sourceFile }) => [startDate, endDate, sourceFile])).toEqual([
      ['2026-07-05', '2026-07-11', WEEK_NAME],
      ['2026-07-12', '2026-07-18', 'US_Top_Search_Terms_Simple_Week_2026_07_18.csv'],
    ]);
  });

  it('tells listeners the new version', async () => {
    const client = await bench.database.service.connect();
    const heard = new Promise((resolve) => client.on('notification', resolve));
    await client.query(`LISTEN ${MANIFEST_CHANNEL}`);
    await importWeek('2026-07-11', fixtureRows(1));
    expect(await heard).toMatchObject({ channel: 'keyrank_manifest', payload: '1' });
    client.release(true);
  });

  it('of a dry run writes no data', async () => {
    const path = await writeReport(bench.reports, WEEK_NAME, currentReport(fixtureRows(3)));
    const outcome = await bench.importOne(path, { isDryRun: true });
    expect(outcome.periods).toMatchObject([{ status: 'checked', revision: 1, keywords: 3 }]);
    expect((await bench.manifest()).version).toBe(0);
    expect(await readdir(bench.dataDirectory)).not.toContain('segments');
  });
});

describe('a damaged snapshot', () => {
  it('does not stop the next import, which builds it from the segments again and says so', async () => {
    await importWeek('2026-07-11', fixtureRows(3));
    const damaged = (await bench.manifest()).snapshots[0]?.files.find(({ path }) => path.includes('title-text'));
    const path = join(bench.dataDirectory, damaged?.path ?? '');
    const file = await open(path, 'r+');
    await file.write(Buffer.from([0xff]), 0, 1, 5);
    await file.close();
    const next = await importWeek('2026-07-18', fixtureRows(3));
    expect(next.periods).toMatchObject([{ status: 'published' }]);
    expect(bench.warnings.at(-1)).toMatch(/title-text.* checksum .* The snapshot was built from the segments again\.$/);
    const { faults } = await verifyFiles({
      manifest: await bench.manifest(),
      dataDirectory: bench.dataDirectory,
      onFile: () => {},
    });
    expect(faults).toEqual([]);
  });
});

describe('dictionaries', () => {
  it('keep their ids and grow by what is new', async () => {
    await importWeek('2026-07-11', fixtureRows(3));
    const second = await importWeek('2026-07-18', [...fixtureRows(3).toReversed(), fixtureRow(4)]);
    expect(second.periods).toMatchObject([{ newTerms: 1 }]);
    const { dictionaries } = await bench.manifest();
    expect(dictionaries.map(({ kind, sequence, nextId }) => [kind, sequence, nextId])).toEqual([
      ['brands', 1, 3],
      ['categories', 1, 3],
      ['products', 1, 9],
      ['products', 2, 12],
      ['terms', 1, 3],
      ['terms', 2, 4],
    ]);
    expect((await bench.storedRows('2026-28')).map((row) => row.term)).toEqual(['term 1', 'term 2', 'term 3']);
    expect((await bench.storedRows('2026-29')).map((row) => row.term)).toEqual([
      'term 1',
      'term 2',
      'term 3',
      'term 4',
    ]);
  });

  it('keep for every period the titles of its own report, blank ones too', async () => {
    await importWeek('2026-07-11', fixtureRows(2));
    const retitled = fixtureRow(1).products.map((product, slot) => ({ ...product, title: slot === 0 ? 'New' : '' }));
    await importWeek('2026-07-18', fixtureRows(2, { 1: { products: retitled } }));
    expect((await bench.storedRows('2026-28'))[0]?.titles).toEqual(
      [1, 2, 3].map((slot) => `Product 1-${slot}, with "quotes" and a comma`),
    );
    const [row] = await bench.storedRows('2026-29');
    expect(row?.titles).toEqual(['New', '', '']);
    expect(row?.asins).toEqual((await bench.storedRows('2026-28'))[0]?.asins);
    const deltas = (await bench.manifest()).dictionaries.filter((delta) => delta.kind === 'products');
    expect(deltas.map((delta) => delta.nextId)).toEqual([6, 9]);
  });

  it('store a title once, however often a product comes back to it', async () => {
    const titled = (title: string) =>
      fixtureRows(2, { 1: { products: fixtureRow(1).products.map((product) => ({ ...product, title })) } });
    for (const [i, title] of ['First', 'Second', 'Second', 'First', 'First'].entries()) {
      await importWeek(['2026-07-04', '2026-07-11', '2026-07-18', '2026-07-25', '2026-08-01'][i] ?? '', titled(title));
    }
    expect((await bench.storedRows('2026-30'))[0]?.titles).toEqual(['First', 'First', 'First']);
    expect((await bench.storedRows('2026-29'))[0]?.titles).toEqual(['Second', 'Second', 'Second']);
    const deltas = (await bench.manifest()).dictionaries.filter((delta) => delta.kind === 'products');
    expect(deltas.map((delta) => delta.nextId)).toEqual([6, 9]);
  });

  it('take titles and the spelling of brands from a report that is imported late', async () => {
    await importWeek('2026-07-18', fixtureRows(2, { 1: { brands: ['Nike', '', ''] } }));
    const oldTitles = fixtureRow(1).products.map((product) => ({ ...product, title: 'Old' }));
    await importWeek('2026-07-11', fixtureRows(3, { 1: { products: oldTitles, brands: ['NIKE', '', ''] } }));
    const late = await bench.storedRows('2026-28');
    expect(late.map((row) => row.titles[0])).toEqual([
      'Old',
      ...[2, 3].map((number) => `Product ${number}-1, with "quotes" and a comma`),
    ]);
    expect(late[0]?.brands).toEqual(['NIKE', null, null]);
    expect((await bench.storedRows('2026-29'))[0]?.brands).toEqual(['Nike', null, null]);
  });

  it('take the title that comes first when a file has several, and none that is blank', async () => {
    const [product] = fixtureRow(1).products;
    if (!product) throw new Error('a product');
    const titled = (title: string) => ({ products: [{ ...product, title }, ...fixtureRow(9).products.slice(1)] });
    await importWeek('2026-07-11', [fixtureRow(1, titled('first')), fixtureRow(2, titled('second'))]);
    expect((await bench.storedRows()).map((row) => row.titles[0])).toEqual(['first', 'first']);
    await importWeek('2026-07-18', [fixtureRow(1, titled('')), fixtureRow(2, titled('second'))]);
    expect((await bench.storedRows('2026-29')).map((row) => row.titles[0])).toEqual(['second', 'second']);
  });

  it('of an earlier version, which kept one title per product, are read, and get titles of their own when imported again', async () => {
    const titled = (title: string) =>
      fixtureRows(2, { 1: { products: fixtureRow(1).products.map((product) => ({ ...product, title })) } });
    await importWeek('2026-07-11', titled('Second'));
    await importWeek('2026-07-18', titled('Second'));
    await makeLegacy();
    const again = await importWeek('2026-07-11', titled('Second'));
    expect(again.periods).toMatchObject([{ status: 'published', revision: 2 }]);
    expect((await importWeek('2026-07-11', titled('Second'))).periods).toMatchObject([{ status: 'unchanged' }]);
    expect((await bench.storedRows('2026-28'))[0]?.titles).toEqual(['Second', 'Second', 'Second']);
    // What cannot be told any more stays as it was: the newest title that the earlier version had stored.
    expect((await bench.storedRows('2026-29'))[0]?.titles[0]).toBe('Third');
    expect((await bench.storedRows('2026-29'))[0]?.asins).toEqual((await bench.storedRows('2026-28'))[0]?.asins);
  });

  it('find the right titles where rows share a rank', async () => {
    await importWeek('2026-07-11', [fixtureRow(1), fixtureRow(2, { rank: '1' })]);
    const titles = (await bench.storedRows()).map((row) => row.titles[0]);
    expect(titles).toEqual([1, 2].map((number) => `Product ${number}-1, with "quotes" and a comma`));
  });
});

describe('an unusual size', () => {
  it.each([
    [4, 'Unusual size: 4 keywords, 40 % of the mean of the last 2 periods (10).'],
    [20, 'Unusual size: 20 keywords, 200 % of the mean of the last 2 periods (10).'],
    [9, undefined],
  ])('of %i keywords after 10 and 10 is remembered with the period', async (count, warning) => {
    await importWeek('2026-07-11', fixtureRows(10));
    await importWeek('2026-07-18', fixtureRows(10));
    await importWeek('2026-07-25', fixtureRows(count));
    expect((await bench.manifest()).periods[2]?.warnings).toEqual(warning === undefined ? [] : [warning]);
  });
});

describe('the data directory', () => {
  it('is swept of what is not published, temporary files included', async () => {
    await importWeek('2026-07-11', fixtureRows(3));
    const published = await listDataFiles();
    const orphans = ['segments/US/x.parquet', 'segments/US/y.parquet.tmp', 'dictionaries/DE/terms-00001.parquet'];
    for (const path of [...orphans, 'snapshots/US/old/a.bin', 'tmp/1/rows.csv', 'imports/1/log.json']) {
      await mkdir(join(bench.dataDirectory, path, '..'), { recursive: true });
      await writeFile(join(bench.dataDirectory, path), 'left over');
    }
    const swept = await bench.sweep();
    expect(swept.toSorted()).toEqual([...orphans, 'snapshots/US/old/a.bin'].toSorted());
    expect(await listDataFiles()).toEqual(published);
    expect(await readdir(bench.dataDirectory)).not.toContain('tmp');
    expect(await readdir(join(bench.dataDirectory, 'imports'))).toContain('1');
  });

  it('keeps the segments of replaced revisions, and no file of a replaced snapshot, after the next import', async () => {
    await importWeek('2026-07-11', fixtureRows(3));
    await importWeek('2026-07-11', fixtureRows(4));
    await importWeek('2026-07-11', fixtureRows(5));
    await bench.sweep();
    const stored = listStoredFiles(await bench.manifest()).map((file) => join(bench.dataDirectory, file.path));
    expect((await listDataFiles()).toSorted()).toEqual(stored.toSorted());
    expect(stored.filter((path) => path.includes('segments')).map((path) => basename(path))).toEqual([
      expect.stringContaining('search-weekly-2026-28-r3.'),
      expect.stringContaining('search-weekly-2026-28-r1.'),
      expect.stringContaining('search-weekly-2026-28-r2.'),
    ]);
  });

  it('of another database is left alone', async () => {
    await importWeek('2026-07-11', fixtureRows(3));
    await using other = await openWorkbench();
    const sweeping = sweepLeftovers({
      pool: other.database.operator,
      dataDirectory: bench.dataDirectory,
      keepRevisionsMs: KEEP_REVISIONS_MS,
      now: () => new Date(),
    });
    await expect(sweeping).rejects.toThrow('holds rank data that this database does not know');
    expect(await listDataFiles()).not.toEqual([]);
  });

  it('is verified file by file, and every flipped byte is found', async () => {
    await importWeek('2026-07-11', fixtureRows(3));
    const manifest = await bench.manifest();
    const verify = () => verifyFiles({ manifest, dataDirectory: bench.dataDirectory, onFile: () => {} });
    expect(await verify()).toMatchObject({ faults: [] });
    const files = listStoredFiles(manifest).filter((file) => file.sizeBytes > 0);
    expect(files.length).toBeGreaterThan(10);
    for (const { path, sizeBytes } of files) {
      const at = Math.floor(sizeBytes / 2);
      await flipByte(join(bench.dataDirectory, path), at);
      expect((await verify()).faults, path).toMatchObject([{ path, fault: 'checksum' }]);
      await flipByte(join(bench.dataDirectory, path), at);
    }
    await rm(join(bench.dataDirectory, manifest.periods[0]?.segment.path ?? ''));
    expect((await verify()).faults).toMatchObject([{ fault: 'missing' }]);
  });

  it('gets a damaged segment back when its report is imported again', async () => {
    await importWeek('2026-07-11', fixtureRows(3));
    const segment = (await bench.manifest()).periods[0]?.segment.path ?? '';
    await flipByte(join(bench.dataDirectory, segment), 100);
    expect((await importWeek('2026-07-11', fixtureRows(3))).periods).toMatchObject([
      { status: 'published', revision: 2 },
    ]);
  });
});

describe('an import that needs a damaged file', () => {
  it.each(['terms', 'products', 'brands', 'categories'])('of the %s refuses, and changes nothing', async (kind) => {
    await importWeek('2026-07-11', fixtureRows(3));
    const before = await bench.manifest();
    const { path = '' } = before.dictionaries.find((delta) => delta.kind === kind)?.file ?? {};
    await flipByte(join(bench.dataDirectory, path), 60);
    const { status, error } = await importWeek('2026-07-18', fixtureRows(4));
    expect({ status, error }).toEqual({
      status: 'failed',
      error: {
        message: `The published file ${path} has other content than published.`,
        hint: 'Restore it from a backup. keyrank verify lists all damaged files.',
      },
    });
    expect(await bench.manifest()).toEqual(before);
  });

  it('of another period for the snapshot refuses, and changes nothing', async () => {
    await importWeek('2026-07-11', fixtureRows(3));
    await importWeek('2026-07-18', fixtureRows(3));
    const before = await bench.manifest();
    const { path = '' } = before.periods[0]?.segment ?? {};
    await flipByte(join(bench.dataDirectory, path), 60);
    // The snapshot before ends with the week that is replaced, so that all weeks are read again.
    const { status, error } = await importWeek('2026-07-18', fixtureRows(4));
    expect({ status, message: error?.message }).toEqual({
      status: 'failed',
      message: `The published file ${path} has other content than published.`,
    });
    expect(await bench.manifest()).toEqual(before);
  });
});

describe('files that are published together', () => {
  it('are published in their order, and one that fails does not keep the others away', async () => {
    const write = (date: string, rows: readonly FixtureRow[]) =>
      writeReport(
        bench.reports,
        `US_Week_${date.replaceAll('-', '_')}.csv`,
        currentReport(rows.map((row) => ({ ...row, date }))).replace(/^.*\n/, ''),
      );
    const files = [
      await write('2026-07-11', fixtureRows(3)),
      await writeReport(bench.reports, 'broken.csv', 'not a report'),
      await write('2026-07-18', fixtureRows(4)),
      await write('2026-07-25', fixtureRows(5)),
    ];
    const outcomes = await bench.importTogether(files.map((path) => ({ path, source: 'search' })));
    expect(outcomes.map(({ file, status }) => [file, status])).toEqual(
      files.map((file, i) => [file, i === 1 ? 'failed' : 'done']),
    );
    expect(outcomes.flatMap(({ periods }) => periods.map(({ newTerms }) => newTerms))).toEqual([3, 1, 1]);
    const { version, periods } = await bench.manifest();
    expect({ version, keywords: periods.map(({ keywords }) => keywords) }).toEqual({ version: 1, keywords: [3, 4, 5] });
    expect(await readdir(join(bench.dataDirectory, 'tmp'))).toEqual([]);
  });
});

describe('two imports at once', () => {
  it('take turns', async () => {
    const paths = await Promise.all(
      ['2026-07-11', '2026-07-18'].map((date) =>
        writeReport(
          bench.reports,
          `US_Week_${date.replaceAll('-', '_')}.csv`,
          currentReport(fixtureRows(3).map((row) => ({ ...row, date }))).replace(/^.*\n/, ''),
        ),
      ),
    );
    const stages: string[] = [];
    const outcomes = await Promise.all(
      paths.map((path) =>
        importReports({
          files: [{ path, source: 'search' }],
          options: TEST_OPTIONS,
          publisher: bench.publisher(),
          dataDirectory: bench.dataDirectory,
          onProgress: ({ stage }) => stages.push(stage),
          now: () => new Date(),
        }),
      ),
    );
    expect(outcomes.flat().map((outcome) => outcome.status)).toEqual(['done', 'done']);
    expect(stages).toContain('waiting');
    const terms = (await bench.manifest()).dictionaries.filter((delta) => delta.kind === 'terms');
    expect(terms.map((delta) => delta.nextId)).toEqual([3]);
  });
});

async function flipByte(path: string, position: number): Promise<void> {
  const file = await open(path, 'r+');
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, position);
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, position);
  await file.close();
}
