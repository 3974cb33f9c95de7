import { describe, expect, it } from 'vitest';
import { abbreviateParameters } from './search-history.ts';

describe('the parameters that history keeps', () => {
  it('of a common search are those that were given', () => {
    const parameters = { query: ['usb cable'], page: 2, filler: 'x'.repeat(1_000) };
    expect(abbreviateParameters(parameters)).toBe(parameters);
    const longest = { query: 'x'.repeat(1_200 - '{"query":""}'.length) };
    expect(abbreviateParameters(longest)).toBe(longest);
    expect(abbreviateParameters({ query: `${longest.query}x` })).toHaveProperty('abbreviated');
  });

  it('of a long search are the first values of each, and how many are not there', () => {
    const words = Array.from({ length: 50 }, (_, i) => `word number ${i}`.padEnd(48, '.'));
    expect(abbreviateParameters({ query: words, page: 3, brand: ['acme'] })).toEqual({
      // Three of 48 characters and their quotes are 150.
      query: words.slice(0, 3),
      page: 3,
      brand: ['acme'],
      abbreviated: { query: 47 },
    });
  });

  it('have something of the first value, however long it is', () => {
    const long = 'y'.repeat(2_000);
    const cut = `${'y'.repeat(148)}…`;
    expect(abbreviateParameters({ query: [long, 'b'], note: long })).toEqual({
      query: [cut],
      note: cut,
      abbreviated: { query: 2, note: 1 },
    });
  });

  it('are no longer in JSON than in characters, and no character is cut in two', () => {
    const { query } = abbreviateParameters({ query: '\u0001'.repeat(2_000) });
    expect(query).toBe(`${'\u0001'.repeat(24)}…`);
    const emoji = abbreviateParameters({ query: '🎄'.repeat(1_000) }).query;
    expect(emoji).toBe(`${'🎄'.repeat(74)}…`);
  });
});
