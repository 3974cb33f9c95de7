// Whatever stands in a place of a statement reaches ClickHouse as that value, and as nothing else.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { list, name, sql, strings } from '../../src/clickhouse/sql.ts';
import { NO_CLICKHOUSE, openTestClickHouse, type TestClickHouse } from '../support/clickhouse.ts';
import { SEED } from '../support/seed.ts';
import { TEXT_PAYLOADS } from '../support/text-payloads.ts';

describe('a value in SQL', () => {
  it('is refused when it is no whole number', () => {
    for (const value of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => sql`SELECT ${value}`).toThrow('is not a whole number');
    }
    expect(() => list([])).toThrow('is empty');
  });

  it('stands between quotes that nothing in it can end', () => {
    expect(sql`SELECT ${`'; DROP TABLE x; -- \\`}`.text).toBe(String.raw`SELECT '\'; DROP TABLE x; -- \\'`);
    expect(sql`x IN ${list(['a', 1])} AND ${sql`y = ${-0}`}`.text).toBe(`x IN ('a', 1) AND y = 0`);
    expect(name('a`b', 'c').text).toBe('`a\\`b`.`c`');
  });
});

describe.skipIf(NO_CLICKHOUSE)(`a value in ClickHouse (${NO_CLICKHOUSE ?? 'two nodes'})`, () => {
  let test: TestClickHouse;
  beforeAll(async () => {
    test = await openTestClickHouse();
  });
  afterAll(() => test?.[Symbol.asyncDispose]());

  const text = fc.oneof(
    fc.constantFrom(...TEXT_PAYLOADS.map(wellFormed)),
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('\\', "'", '"', '`', '\0', '\n', '\t', '\r', '%', '{', '}', '?', '--', '/*', 'é'),
    }),
  );

  it('equals no text when it is half a character', async () => {
    const half = '\ud800';
    const [found] = await test.clickHouse.rows(
      sql`SELECT ${half} = ${'\ufffd'} AS isReplaced, ${`a${half}b`} = ${`a${half}b`} AS isItself, ${half} = '' AS isEmpty`,
    );
    expect(found).toEqual({ isReplaced: 0, isItself: 1, isEmpty: 0 });
  });

  it('comes back as it was given: texts, numbers and lists of them', async () => {
    const values = fc.record({
      one: text,
      number: fc.maxSafeInteger(),
      texts: fc.array(text, { maxLength: 5 }),
      numbers: fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 5 }),
    });
    const property = fc.asyncProperty(values, async ({ one, number, texts, numbers }) => {
      const [found] = await test.clickHouse.rows(
        sql`SELECT ${one} AS one, toString(toInt64(${number})) AS number, ${strings(texts)} AS texts,
          arrayMap(x -> toInt64(x), ${numbers}) AS numbers, ${one} IN ${list([one, 'other'])} AS isIn`,
      );
      expect(found).toEqual({ one, number: String(number), texts, numbers, isIn: 1 });
    });
    await fc.assert(property, { seed: SEED, numRuns: 300 });
  }, 300_000);
});

function wellFormed(given: string): string {
  return Buffer.from(given).toString();
}
