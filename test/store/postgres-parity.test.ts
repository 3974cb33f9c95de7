// PostgreSQL as the second opinion: its pg_trgm and its English stemmer must agree with ours on everything that shoppers
// type and on much that they do not.
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTrigrams, similarity } from '../../src/domain/similarity.ts';
import { stemEnglish } from '../../src/domain/stemmer.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import { makeEmptyDatabase } from '../support/database.ts';

const PAIRS = 5_000;

let database: Awaited<ReturnType<typeof makeEmptyDatabase>>;
let client: pg.Client;
beforeAll(async () => {
  // pg_trgm asks the C library what a letter is, and the plain C locale knows only ASCII.
  database = await makeEmptyDatabase(`TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C.UTF-8'`);
  client = new pg.Client({ connectionString: database.url.href });
  await client.connect();
  await client.query('CREATE EXTENSION pg_trgm');
});
afterAll(async () => {
  await client.end();
  await database[Symbol.asyncDispose]();
});

const words = fc.constantFrom(
  'shoe',
  'shoes',
  'running',
  'runner',
  "kids'",
  '2-pack',
  '10ft',
  'café',
  'straße',
  'ü',
  'a',
  'iphone',
  '15',
  '½',
  'ａ',
  'x-large',
  'ñandú',
  '靴',
  '😀',
  'ﬁ',
  '_',
  '%',
);
// Scripts that shops are searched in. In rarer ones PostgreSQL's tables of letters and Unicode's differ by version.
const letter = fc
  .oneof(
    fc.integer({ min: 0x20, max: 0x17e }),
    fc.integer({ min: 0x391, max: 0x3c9 }),
    fc.integer({ min: 0x410, max: 0x44f }),
    fc.integer({ min: 0x3041, max: 0x3096 }),
    fc.integer({ min: 0x4e00, max: 0x9fa5 }),
    fc.integer({ min: 0xac00, max: 0xd7a3 }),
    fc.integer({ min: 0x1f600, max: 0x1f64f }),
  )
  .map((code) => String.fromCodePoint(code));
const phrase = fc
  .array(fc.oneof(words, fc.string({ unit: letter, maxLength: 6 })), { minLength: 1, maxLength: 4 })
  .map((parts) => normalizeTerm(parts.join(' ').replaceAll('\0', '')));

describe('trigram similarity', () => {
  it(`equals pg_trgm's similarity() for ${PAIRS} random pairs`, async () => {
    const pairs = fc.sample(fc.tuple(phrase, phrase), PAIRS);
    const { rows } = await client.query<{ value: number }>(
      `SELECT similarity(a, b) AS value FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS pair (a, b, place) ORDER BY place`,
      [pairs.map(([a]) => a), pairs.map(([, b]) => b)],
    );
    const differing = pairs.filter(
      ([a, b], index) => similarity(parseTrigrams(a), parseTrigrams(b)) !== Math.fround(rows[index]?.value ?? -1),
    );
    expect(differing).toEqual([]);
  });
});

describe('the stemmer', () => {
  it("equals PostgreSQL's english_stem for made-up and real words", async () => {
    const endings = [
      '',
      's',
      'es',
      'ed',
      'ing',
      'ly',
      'er',
      'ness',
      'ful',
      'ation',
      'ies',
      'ied',
      'y',
      'able',
      'ment',
      "'s",
      'ize',
      'ous',
      'ive',
      'al',
    ];
    const roots = [
      'run',
      'shoe',
      'hop',
      'happi',
      'relat',
      'cat',
      'pony',
      'general',
      'commun',
      'arsen',
      'skis',
      'sky',
      'news',
      'inning',
      'exceed',
      'bath',
      'case',
      'glass',
      'die',
      'tie',
      'lie',
      'bus',
      'gas',
      'yes',
      'boy',
      'say',
      'by',
      'enjoy',
      'luxur',
      'beaut',
      'organ',
      'print',
      'wash',
      'wax',
      'box',
      'knit',
    ];
    const made = roots.flatMap((root) => endings.map((ending) => root + ending));
    const random = fc.sample(fc.stringMatching(/^[a-z]{2,12}(ing|ed|s|ly|ation|y)?$/), 3_000);
    const all = [...new Set([...made, ...random])].filter((word) => /^[a-z]+$/.test(word));
    // Snowball itself: the dictionary english_stem would drop stop words.
    await client.query('CREATE TEXT SEARCH DICTIONARY bare_stem (TEMPLATE = snowball, Language = english)');
    const { rows } = await client.query<{ stem: string }>(
      `SELECT (ts_lexize('bare_stem', word))[1] AS stem FROM unnest($1::text[]) WITH ORDINALITY AS w (word, place) ORDER BY place`,
      [all],
    );
    const differing = all.filter((word, index) => stemEnglish(word) !== rows[index]?.stem);
    expect(differing).toEqual([]);
    expect(all.length).toBeGreaterThan(3_000);
  });
});
