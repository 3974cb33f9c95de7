import { describe, expect, it } from 'vitest';
import { misspell, otherNumber, stems } from './word-form.ts';

describe('the other number', () => {
  it.each([
    ['running shoes', 'running shoe'],
    ['phone case', 'phone cases'],
    ['batteries', 'battery'],
    ['toothbrush', 'toothbrushes'],
    ['watches', 'watch'],
    ['bunk bed', 'bunk beds'],
    ['dress', undefined],
    ['knives', undefined],
    ['omega 3', undefined],
  ])('of %j is %j', (phrase, other) => expect(otherNumber(phrase)).toBe(other));
});

describe('a misspelling', () => {
  it('changes one word a little and is always the same', () => {
    const wrong = misspell('wireless earbuds') ?? '';
    expect(wrong).not.toBe('wireless earbuds');
    expect(wrong).toBe(misspell('wireless earbuds'));
    expect(wrong.split(' ')[1]).toBe('earbuds');
    expect(Math.abs(wrong.length - 'wireless earbuds'.length)).toBeLessThanOrEqual(1);
  });

  it('is not made of short words', () => expect(misspell('tv box')).toBeUndefined());
});

describe('stems', () => {
  it('are the same for kids, kid and kids apostrophe s', () => {
    expect(stems("kids for kid with kid's")).toEqual(['kid', 'kid', 'kid']);
  });
});
