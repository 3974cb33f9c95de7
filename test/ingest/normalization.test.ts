import { VARCHAR } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { normalizeTerm } from '../../src/domain/term.ts';
import { openDatabase } from '../../src/ingest/duckdb.ts';
import { DuckDbSession } from '../../src/ingest/duckdb-session.ts';
import { plainNormalization } from '../../src/ingest/reading/report-rows.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

let session: DuckDbSession;
let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
beforeAll(async () => {
  directory = await openTemporaryDirectory();
  const settings = {
    memoryLimitBytes: 200_000_000,
    threads: 1,
    temporaryDirectory: directory.path,
    maxTemporaryBytes: 1e9,
  };
  session = await DuckDbSession.open(await openDatabase(settings));
  await session.run('CREATE TABLE terms (term VARCHAR)');
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

const NASTY = [
  'Plain Term',
  '  two  spaces  ',
  ' ',
  'tab\tinside',
  'line\nbreak',
  'DEL\u007F',
  'unit\u001Fseparator',
  'é',
  'E\u0301',
  'ＦＵＬＬ　ＷＩＤＴＨ',
  'ﬁ ligature',
  'İstanbul',
  'ΣΊΣΥΦΟΣ',
  'ß STRASSE ẞ',
  '\uFFFCphantom',
  'zero\u200Bwidth',
  'soft\u00ADhyphen',
  'no\u00A0break',
  'next\u0085line',
  'family 👨‍👩‍👧',
  'Ⅷ ½ ™',
  'ｶﾞ',
  'quote\'s "and" %_\\',
  '~!@#$%^&*()_+{}|:<>?',
];

/** Letters, spaces and the characters that the fast way must not touch, in any mixture. */
const term = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !text.includes('\0')),
  fc.string({ unit: fc.constantFrom(' ', 'A', 'b', '-', '\t', 'É', '\u200B'), maxLength: 12 }),
);

async function normalizePlainly(terms: readonly string[]): Promise<readonly (string | null)[]> {
  await session.run('DELETE FROM terms');
  await session.append('terms', [{ type: VARCHAR, values: terms }]);
  const rows = await session.rows(`SELECT ${plainNormalization('term')} AS normalized FROM terms ORDER BY rowid`);
  return rows.map((row) => (row.normalized === null ? null : String(row.normalized)));
}

describe('the fast way to normalise', () => {
  it('gives what normalizeTerm gives, or leaves the term to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(term, { minLength: 1, maxLength: 200 }), async (random) => {
        const terms = [...NASTY, ...random];
        for (const [index, normalized] of (await normalizePlainly(terms)).entries()) {
          if (normalized !== null) expect(normalized).toBe(normalizeTerm(terms[index] ?? ''));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('takes plain terms and no others', async () => {
    expect(await normalizePlainly(['Red  Shoes ', 'café', 'tab\t', '\u200B'])).toEqual(['red shoes', null, null, null]);
  });
});
