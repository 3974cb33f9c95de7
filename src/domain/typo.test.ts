import { describe, expect, it } from 'vitest';
import { findReplacements, maxEdits } from './typo.ts';

function replacementsIn(vocabulary: readonly string[], word: string): readonly string[] {
  return findReplacements(
    word,
    vocabulary.map((known, i) => ({ word: known, termCount: vocabulary.length - i })),
  );
}

describe('typo replacement', () => {
  it.each([
    ['iphnoe', 'iphone'],
    ['wireles', 'wireless'],
    ['earbudds', 'earbuds'],
    ['headphnoes', 'headphones'],
    ['keybaord', 'keyboard'],
  ])('finds %s as %s', (typo, word) => {
    expect(replacementsIn(['iphone', 'wireless', 'earbuds', 'headphones', 'keyboard', 'case'], typo)).toEqual([word]);
  });

  it('allows one edit from four letters and two from eight', () => {
    expect(['cse', 'case', 'earbuds', 'wireless', 'ワイヤレス'].map(maxEdits)).toEqual([0, 1, 1, 2, 1]);
  });

  it('keeps only the nearest words, the more frequent first', () => {
    expect(replacementsIn(['cake', 'case', 'cats', 'headphones'], 'cate')).toEqual(['cake', 'case', 'cats']);
    expect(replacementsIn(['wirless', 'wireless'], 'wirelesss')).toEqual(['wireless']);
  });

  it('forgets near words as soon as there is a nearer one, and takes no farther ones after it', () => {
    expect(replacementsIn(['wireless', 'wirelss'], 'wirelesss')).toEqual(['wireless']);
    expect(replacementsIn(['wirelss', 'wireless', 'wirelss'], 'wirelesss')).toEqual(['wireless']);
  });

  it('puts the more frequent first, then goes by the alphabet', () => {
    const vocabulary = [
      { word: 'cats', termCount: 9 },
      { word: 'cave', termCount: 5 },
      { word: 'cake', termCount: 5 },
      { word: 'case', termCount: 7 },
    ];
    expect(findReplacements('cate', vocabulary)).toEqual(['cats', 'case', 'cake', 'cave']);
    expect(findReplacements('cate', vocabulary.toReversed())).toEqual(['cats', 'case', 'cake', 'cave']);
  });

  it('takes at most five words', () => {
    expect(replacementsIn(['aaab', 'aaac', 'aaad', 'aaae', 'aaaf', 'aaag'], 'aaaa')).toHaveLength(5);
  });

  it('falls back to trigram similarity when nothing is near in edits', () => {
    expect(replacementsIn(['humidifiers'], 'humidif')).toEqual(['humidifiers']);
    // The more similar before the more frequent, and nothing that is less than half alike.
    const vocabulary = ['humidifiers', 'humidity', 'humidifier', 'humid air'];
    expect(replacementsIn(vocabulary, 'humidif')).toEqual(['humidifier', 'humidity', 'humidifiers']);
    expect(replacementsIn(['abcdefghij', 'abcdefghijk'], 'abcdef')).toEqual(['abcdefghij']);
  });

  it('never changes a number', () => {
    expect(replacementsIn(['1000', '100'], '1001')).toEqual([]);
    expect(replacementsIn(['cabl3', 'cabel'], 'cable')).toEqual(['cabel']);
    expect(replacementsIn(['cable'], 'cable2')).toEqual([]);
  });
});
