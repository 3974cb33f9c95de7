import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeTerm } from './term.ts';
import { countWords, foldAccents, parseWords, stemWord } from './words.ts';

function wordsOf(text: string): readonly string[] {
  return parseWords(normalizeTerm(text));
}

describe('words', () => {
  it.each([
    ['wireless earbuds', ['wireless', 'earbuds']],
    ['2-pack', ['2', 'pack']],
    ['2pack', ['2', 'pack']],
    ['10ft usb-c cable', ['10', 'ft', 'usb', 'c', 'cable']],
    ['10 FT USB C cable', ['10', 'ft', 'usb', 'c', 'cable']],
    ["kids' shoes", ['kids', 'shoes']],
    ["kid's shoes", ['kids', 'shoes']],
    ['women’s dress', ['womens', 'dress']],
    ["rock 'n' roll", ['rock', 'n', 'roll']],
    ["6' ladder", ['6', 'ladder']],
    ['1.5 inch', ['1.5', 'inch']],
    ['no. 1. inch 1.2.3', ['no', '1', 'inch', '1.2.3']],
    ['1,000 piece puzzle', ['1000', 'piece', 'puzzle']],
    ['1,2,3', ['1', '2', '3']],
    ['8x10 frame', ['8', 'x', '10', 'frame']],
    ['iphone15', ['iphone', '15']],
    ['wh-1000xm4', ['wh', '1000', 'xm', '4']],
    ['Crème Brûlée', ['creme', 'brulee']],
    ['Straße', ['strasse']],
    ['Øæ', ['oae']],
    ['ёлка', ['елка']],
    ['søren œuvre', ['soren', 'oeuvre']],
    ['salt & pepper/mill+', ['salt', 'pepper', 'mill']],
    ['ワイヤレス イヤホン', ['ワイヤレス', 'イヤホン']],
    ['ガラス', ['ガラス']],
    ['чехол для ёлки', ['чехол', 'для', 'елки']],
    ['🎄', []],
    ['!!!', []],
    ['', []],
  ])('of %j are %j', (text, expected) => {
    expect(wordsOf(text)).toEqual(expected);
  });

  it('are the same with and without accents, case and hyphens', () => {
    const letters = fc.string({
      unit: fc.constantFrom('a', 'é', 'ü', 'n', 'ñ', 'o', ' ', '-', '1', "'"),
      maxLength: 20,
    });
    fc.assert(
      fc.property(letters, (text) => {
        expect(wordsOf(text.toUpperCase())).toEqual(wordsOf(text));
        expect(wordsOf(foldAccents(normalizeTerm(text)))).toEqual(wordsOf(text));
        expect(wordsOf(text.replaceAll('-', ' '))).toEqual(wordsOf(text));
      }),
    );
  });

  it('meet in their stem: plurals, -ing forms and possessives', () => {
    for (const [a, b, stem] of [
      ['earbuds', 'earbud', 'earbud'],
      ['running', 'run', 'run'],
      ['womens', 'women', 'women'],
      ['charging', 'charged', 'charg'],
      ['batteries', 'battery', 'batteri'],
    ] as const) {
      expect([stemWord(a), stemWord(b)]).toEqual([stem, stem]);
    }
  });
});

describe('the word count', () => {
  it('counts what stands between white space', () => {
    expect(['', 'a', 'usb-c cable', '2-pack of 10ft cords'].map(countWords)).toEqual([0, 1, 2, 4]);
  });
});
