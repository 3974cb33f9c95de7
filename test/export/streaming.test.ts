import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RequestError } from '../../src/domain/error.ts';
import { FILE_FORMATS, type KeywordExport } from '../../src/domain/keyword-export.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';
import { FILE_FORMS } from '../../src/export/export-file.ts';
import { keywordTable } from '../../src/export/keyword-table.ts';
import { openWorkbook } from '../../src/export/workbook.ts';
import { bytesOf, exampleRows, keywordExport, months } from '../support/keyword-export.ts';

const periods = months({ count: 24 });
const rows = exampleRows(periods);
/**
 * Of seven rows each. Buffers between a stopped reader and the source are bounded in bytes, some of them compressed, and
 * these rows compress well; so this is the bound of a mebibyte or two of XML, not of a number of rows.
 */
const MAX_BATCHES_AHEAD = 150;

/** Never used: nothing that is streamed needs it. */
const PLACE = { temporaryDirectory: '/nonexistent' };

const DIRECTORY_END = Buffer.from('504b0506', 'hex');

/** A source of rows that counts what was taken from it and knows whether it was closed. */
function countedSource(batchCount: number, failure?: { readonly atBatch: number; readonly error: Error }) {
  const seen = { batches: 0, closed: false };
  async function* batches(): AsyncGenerator<readonly SearchRow[]> {
    try {
      for (let batch = 0; batch < batchCount; batch += 1) {
        if (failure?.atBatch === batch) throw failure.error;
        seen.batches += 1;
        yield rows;
      }
    } finally {
      seen.closed = true;
    }
  }
  const base = keywordExport(rows, { periods, batches: batches() });
  const input = { ...base, description: { ...base.description, rowCount: batchCount * rows.length } };
  return { seen, input };
}

async function partialBytes(stream: AsyncIterable<Uint8Array>): Promise<{ bytes: Buffer; error: unknown }> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), error: undefined };
  } catch (error) {
    return { bytes: Buffer.concat(chunks), error };
  }
}

describe.each(FILE_FORMATS.filter((format) => format !== 'parquet'))('an export as %s', (format) => {
  const open = (input: KeywordExport, place: typeof PLACE) => FILE_FORMS[format].open(keywordTable(input), place);

  it('takes rows only as fast as they are read', async () => {
    const { seen, input } = countedSource(20_000);
    const stream = open(input, PLACE);
    const reader = stream.iterator({ destroyOnReturn: false });
    while (seen.batches === 0) await reader.next();
    await sleep(500);
    const taken = seen.batches;
    expect(taken).toBeLessThan(MAX_BATCHES_AHEAD);
    await sleep(200);
    expect(seen.batches).toBe(taken);
    stream.destroy();
  });

  it('has closed its source by the time it closes, when the reader goes away', async () => {
    const { seen, input } = countedSource(20_000);
    const stream = open(input, PLACE);
    for await (const _ of stream) {
      if (seen.batches > 0) break;
    }
    if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve));
    expect(seen.closed).toBe(true);
    expect(seen.batches).toBeLessThan(MAX_BATCHES_AHEAD);
  });

  it('passes on a failure of its source and closes it', async () => {
    const error = new Error('The disk is gone.');
    const { seen, input } = countedSource(2000, { atBatch: 1500, error });
    const result = await partialBytes(open(input, PLACE));
    expect(result.error).toBe(error);
    expect(result.bytes.length).toBeGreaterThan(1000);
    expect(result.bytes.includes(DIRECTORY_END)).toBe(false);
    expect(seen.closed).toBe(true);
  });

  it.each([
    ['fewer', 1],
    ['more', -1],
  ] as const)('fails when the source has %s rows than announced', async (_, difference) => {
    const { input } = countedSource(3);
    const description = { ...input.description, rowCount: input.description.rowCount + difference };
    const result = await partialBytes(open({ ...input, description }, PLACE));
    expect(result.error).toMatchObject({ code: 'ERR_ASSERTION' });
    expect(result.bytes.includes(DIRECTORY_END)).toBe(false);
  });
});

describe.each(FILE_FORMATS)('the periods of an export as %s', (format) => {
  const january = { frequency: 'monthly', year: 2024, number: 1 } as const;
  const february = { frequency: 'monthly', year: 2024, number: 2 } as const;

  it.each([
    ['newest first', [february, january]],
    ['the same twice', [january, january]],
  ] as const)('cannot be %s', (_, wrong) => {
    const { input } = countedSource(1);
    expect(() => FILE_FORMS[format].open(keywordTable({ ...input, periods: wrong }), PLACE)).toThrow(
      'The periods of an export must be different and oldest first.',
    );
  });
});

describe('the limits of a sheet', () => {
  function sized({ rowCount, periodCount }: { rowCount: number; periodCount: number }): KeywordExport {
    const base = keywordExport([], { periods: months({ count: periodCount, year: 1000 }) });
    return { ...base, description: { ...base.description, rowCount } };
  }

  it.each([
    [{ rowCount: 1_048_576, periodCount: 24 }, '1048576 rows of 44 columns do not fit in one spreadsheet.'],
    [{ rowCount: 1, periodCount: 16_365 }, 'A spreadsheet holds 16384 columns and this export has 16385.'],
    [{ rowCount: 1_000_000, periodCount: 100 }, '1000000 rows of 120 columns do not fit in one spreadsheet.'],
  ])('refuse %j before the first byte', (size, message) => {
    expect(() => openWorkbook(keywordTable(sized(size)))).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETERS', message, hint: expect.stringContaining("'csv'") }),
    );
    expect(() => openWorkbook(keywordTable(sized(size)))).toThrow(RequestError);
  });

  it.each([
    { rowCount: 1_048_575, periodCount: 24 },
    { rowCount: 1, periodCount: 16_364 },
  ])('allow %j', (size) => {
    openWorkbook(keywordTable(sized(size))).destroy();
  });

  it('hold a row for every column up to the last', async () => {
    const wide = months({ count: 16_364, year: 1000 });
    const ranks = wide.map(() => 7);
    const base = exampleRows(periods)
      .slice(0, 1)
      .map((row) => ({ ...row, ranks }));
    const bytes = await bytesOf(openWorkbook(keywordTable(keywordExport(base, { periods: wide }))));
    expect(bytes.includes(DIRECTORY_END)).toBe(true);
  });
});
