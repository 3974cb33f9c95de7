import { describe, expect, it } from 'vitest';
import { parseBrands, parsePhrases, titleCase } from './phrase.ts';
import { seasonNumber } from './season.ts';

describe('phrases', () => {
  it('are read with their marks in any order', () => {
    const [plain, marked] = parsePhrases('usb c cable, jelly sandals~@summer*1.5=Jelly Sandals!');
    expect(plain).toEqual({
      text: 'usb c cable',
      title: 'USB C Cable',
      season: 0,
      factor: 1,
      isFashion: false,
      isMass: false,
    });
    expect(marked).toEqual({
      text: 'jelly sandals',
      title: 'Jelly Sandals',
      season: seasonNumber('summer'),
      factor: 1.5,
      isFashion: true,
      isMass: true,
    });
  });

  it('may run over several lines', () => {
    expect(parsePhrases('a,\n  b c,\n').map((phrase) => phrase.text)).toEqual(['a', 'b c']);
  });

  it('are searched in lower case when they are brands', () => {
    expect(parseBrands('Zephyr & Ash')).toMatchObject([{ text: 'zephyr & ash', title: 'Zephyr & Ash' }]);
  });

  it('refuse a season that does not exist', () => {
    expect(() => parsePhrases('boots@monsoon')).toThrow('There is no season "monsoon".');
  });

  it('become titles with small words left small', () => {
    expect(titleCase('non-slip shoes for women with led lights')).toBe('Non-Slip Shoes for Women with LED Lights');
  });
});
