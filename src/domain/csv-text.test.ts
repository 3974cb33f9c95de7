import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvField } from './csv-text.ts';

/** The field as RFC 4180 reads it. */
function read(field: string): string {
  return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}

function undo(text: string): string {
  return text.replace(/(^|[,;|\t\n\r])'/gu, '$1');
}

describe('a field of CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['foo;=1+1', `"foo;'=1+1"`],
    ['foo,=1+1', `"foo,'=1+1"`],
    ['foo|@SUM(A1)', `"foo|'@SUM(A1)"`],
    ['foo; "=1+1"', `"foo;' ""=1+1"""`],
    ['foo;\t=1', `"foo;'\t'=1"`],
    ['foo\n-1', `"foo\n'-1"`],
    ["foo;'=1", `"foo;''=1"`],
    ["a,' b", `"a,'' b"`],
    ['"=1+1"', `"'""=1+1"""`],
  ])('lets no reader begin a cell with a sign: %j', (text, field) => {
    expect(csvField(text)).toBe(field);
    expect(undo(read(field))).toBe(text);
  });

  it.each(['running shoes', 'a-b', '3+1', "men's", 'e@mail', '靴', '007', 'socks - red', '3/8"-16'])(
    'leaves %s as it is for a reader',
    (text) => {
      expect(read(csvField(text))).toBe(text);
    },
  );

  it('has quotes and apostrophes only where they are needed', () => {
    expect(csvField('running shoes')).toBe('running shoes');
    expect(csvField('shoes ')).toBe('"shoes "');
    expect(csvField('a=b;')).toBe('"a=b;"');
  });

  it('never begins a cell with a sign for any separator, and can be undone exactly', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'=+-@＝＠\'",;|\t\n\r a1'), maxLength: 30 });
    fc.assert(
      fc.property(texts, (text) => {
        const written = read(csvField(text));
        expect(undo(written)).toBe(text);
        expect(written).not.toMatch(/(?:^|[,;|\t\n\r])[\s"]*[=+\-@＝＋－＠]/u);
      }),
      { numRuns: 5000 },
    );
  });

  it('is done at once with a long run of separators, where work that grows with its square would not end', () => {
    expect(csvField(`x${'\t'.repeat(2_000_000)}y=`)).toHaveLength(2_000_005);
  });
});
