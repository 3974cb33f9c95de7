import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeTerm } from './term.ts';

describe('a normalised term', () => {
  it.each([
    ['Running Shoes', 'running shoes'],
    ['  two   words\t\n', 'two words'],
    ['\uFFFCphantom twin', 'phantom twin'],
    ['zero\u200Bwidth\u200D \uFEFFmarks', 'zerowidth marks'],
    ['soft\u00ADhyphen', 'softhyphen'],
    ['nul\0 and bell\u0007', 'nul and bell'],
    ['ﬁle Ⅳ ｆｕｌｌ', 'file iv full'],
    ['non\u00A0breaking', 'non breaking'],
    ['CAFÉ', 'café'],
    ['cafe\u0301', 'café'],
    ['ΟΔΟΣ', 'οδος'],
    ['straße', 'straße'],
    // There is one letter for the small form only.
    ['H\u0331', '\u1E96'],
    ['tab\tand\nline', 'tab and line'],
    ['two \u200B words', 'two words'],
    ['\u200B \uFFFC', ''],
    ['', ''],
  ])('of %j is %j', (term, normalized) => expect(normalizeTerm(term)).toBe(normalized));

  it('is its own normalised form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (term) => {
        const once = normalizeTerm(term);
        expect(normalizeTerm(once)).toBe(once);
      }),
      { numRuns: 5000 },
    );
  });

  it('has no control or invisible character and no white space but single inner blanks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (term) => {
        expect(normalizeTerm(term)).not.toMatch(/[\p{Cc}\p{Cf}\uFFFC]|^ | $| {2}|[^\S ]/u);
      }),
      { numRuns: 5000 },
    );
  });
});
