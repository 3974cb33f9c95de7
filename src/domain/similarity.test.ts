import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, parseTrigrams, similarity } from './similarity.ts';

// [a, b, similarity(a, b)] as PostgreSQL 18 with pg_trgm and a UTF-8 locale returns them.
const PARITY: readonly (readonly [string, string, number])[] = [
  ['iphone case', 'iphone 15 case', 0.800000011920929],
  ['word', 'two words', 0.3636363744735718],
  ['wireless earbuds', 'wireles earbuds', 0.8333333134651184],
  ['iphnoe', 'iphone', 0.27272728085517883],
  ['a', 'a', 1],
  ['', 'a', 0],
  ['abc', 'abc abc', 1],
  ['2-pack', '2 pack', 1],
  ["kids' shoes", 'kids shoes', 1],
  ['10ft', '10 ft', 0.375],
  ['crème', 'creme', 0.3333333432674408],
  ['café', 'café au lait', 0.38461539149284363],
  ['ワイヤレス イヤホン', 'ワイヤレスイヤホン', 0.6153846383094788],
  ['shoe_rack', 'shoe rack', 1],
  ['aaaa', 'aaa', 1],
  ['usb c', 'usb-c cable', 0.5454545617103577],
  ['!!!', '???', 0],
  ['naïve', 'naive', 0.3333333432674408],
  ['über', 'uber', 0.25],
  ['🎄 tree', 'tree', 1],
  ['cs e', 'case', 0.1111111119389534],
  ['чехол', 'чехол для телефона', 0.31578946113586426],
  ['laptop stand', 'standing laptop desk', 0.5454545617103577],
];

describe('trigram similarity', () => {
  it.each(PARITY)('of %j and %j is %d, as in pg_trgm', (a, b, expected) => {
    expect(similarity(parseTrigrams(a), parseTrigrams(b))).toBe(expected);
    expect(similarity(parseTrigrams(b), parseTrigrams(a))).toBe(expected);
  });

  it('pads every word with two spaces before and one behind', () => {
    expect([...parseTrigrams('cat')].sort()).toEqual(['  c', ' ca', 'at ', 'cat']);
  });
});

describe('the edit distance', () => {
  it.each([
    ['case', 'case', 0],
    ['iphnoe', 'iphone', 1],
    ['wireles', 'wireless', 1],
    ['cats', 'cast', 1],
    ['ba', 'ab', 1],
    ['bac', 'abc', 1],
    ['abdc', 'abcd', 1],
    ['headphnoe', 'headphones', 2],
    ['case', 'base', 1],
    ['ca', 'abc', 3],
    ['', 'ab', 2],
  ])('from %j to %j is %i', (a, b, expected) => {
    expect(editDistance({ a, b, limit: 9 })).toBe(expected);
  });

  it('stops one above its limit', () => {
    expect(editDistance({ a: 'kitchen', b: 'garden', limit: 2 })).toBe(3);
    expect(editDistance({ a: 'a', b: 'abcdefgh', limit: 2 })).toBe(3);
  });

  it('is the same both ways, and the same under any limit that holds it', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
    fc.assert(
      fc.property(word, word, fc.nat(8), (a, b, limit) => {
        const distance = editDistance({ a, b, limit: 8 });
        expect(editDistance({ a: b, b: a, limit: 8 })).toBe(distance);
        expect(editDistance({ a, b, limit })).toBe(Math.min(distance, limit + 1));
      }),
      { numRuns: 2000 },
    );
  });
});
