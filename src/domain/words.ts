// How a normalised term falls into words. The rules are those a shopper expects rather than those of a dictionary:
// "10ft", "10-ft" and "10 ft" are the same two words, "kids' shoes" is "kids shoes", and "crème" is "creme".
import { stemEnglish } from './stemmer.ts';

const COMBINING_ACCENT = /[\u0300-\u036F]/gu;

// Letters that Unicode does not decompose, and what shoppers type in their place.
const LETTER_BY_LIGATURE: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
};
const LIGATURE = /[ßæœøđðþłħıŋ]/gu;

// "1,000" is one number, "s, m, l" is a list.
const THOUSANDS_COMMA = /(?<=\p{Nd}),(?=\p{Nd}{3}(?!\p{Nd}))/gu;
// "women's" is "womens". A mark that follows no letter (6', 'n') is not part of a word.
const APOSTROPHE = /(?<=[\p{L}\p{M}])['’‘ʼ`]/gu;
// A number (1.5) or a run of letters. Everything else, hyphens included, only separates.
const WORD = /\p{Nd}+(?:\.\p{Nd}+)*|[\p{L}\p{M}\p{Nl}\p{No}]+/gu;

const ASCII_TEXT = /^[ -~]*$/;
const PLAIN_TEXT = /^[a-z ]*$/;
const HAS_DIGIT = /\p{Nd}/u;

/** Accents and ligatures folded; the text must already be normalised (domain/term.ts). */
export function foldAccents(normalizedText: string): string {
  if (ASCII_TEXT.test(normalizedText)) return normalizedText;
  return normalizedText
    .normalize('NFD')
    .replace(COMBINING_ACCENT, '')
    .normalize('NFC')
    .replace(LIGATURE, (letter) => LETTER_BY_LIGATURE[letter] ?? letter);
}

/** The folded words of a normalised text in their order, repeats included. A text of symbols has none. */
export function parseWords(normalizedText: string): readonly string[] {
  // Nine terms in ten are plain letters and single spaces, and an import reads millions of them.
  if (PLAIN_TEXT.test(normalizedText)) {
    return normalizedText.split(' ').filter((word) => word !== '');
  }
  return foldAccents(normalizedText).replace(THOUSANDS_COMMA, '').replace(APOSTROPHE, '').match(WORD) ?? [];
}

/** The form under which a word meets its plurals and endings. Words with other than a–z are their own stem. */
export function stemWord(foldedWord: string): string {
  return stemEnglish(foldedWord);
}

/** A number is never taken for a typo of another number: "1000 piece" must not find "100 piece". */
export function isSpelled(foldedWord: string): boolean {
  return !HAS_DIGIT.test(foldedWord);
}

/** Words as a person counts them: what stands between white space ("2-pack" is one). */
export function countWords(normalizedTerm: string): number {
  let count = normalizedTerm === '' ? 0 : 1;
  for (let i = 0; i < normalizedTerm.length; i += 1) if (normalizedTerm.charCodeAt(i) === 32) count += 1;
  return count;
}
