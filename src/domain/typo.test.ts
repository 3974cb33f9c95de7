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

  it('takes at most five words', () => {
    expect(replacementsIn(['aaab', 'aaac', 'aaad', 'aaae', 'aaaf', 'aaag'], 'aaaa')).toHaveLength(5);
  });

  it('falls back to trigram similarity when nothing is near in edits', () => {
    expect(replacementsIn(['humidifiers'], 'humidif')).toEqual(['humidifiers']);
  });

  it('never changes a number', () => {
    expect(replacementsIn(['1000', '100'], '1001')).toEqual([]);
  });
});
