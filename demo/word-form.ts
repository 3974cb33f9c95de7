// The other ways in which people type a product name: in the other number, and misspelt.

import { hashText, mix32 } from './hash.ts';

const MIN_MISSPELT_LETTERS = 5;
const STEM_LETTERS = 5;
const STOP_WORDS = new Set(['for', 'with', 'and', 'of', 'in', 'to', 'the', 'a', 'on', 'size', 'inch', 'oz', 'pack']);

/** "shoes" for "shoe" and the reverse, by the rules of English spelling; undefined where they give no clear answer. */
export function otherNumber(phrase: string): string | undefined {
  if (/(?:ss|us|ics|as)$/.test(phrase)) return undefined;
  if (/[^aeiou]ies$/.test(phrase)) return phrase.replace(/ies$/, 'y');
  if (/(?:ch|sh|x|ss|zz)es$/.test(phrase)) return phrase.slice(0, -2);
  if (/ves$|men$|children$/.test(phrase)) return undefined;
  if (/s$/.test(phrase)) return phrase.slice(0, -1);
  if (/[^aeiou]y$/.test(phrase)) return phrase.replace(/y$/, 'ies');
  if (/(?:ch|sh|x)$/.test(phrase)) return `${phrase}es`;
  if (/(?:[0-9]|fe|f)$/.test(phrase)) return undefined;
  return /[a-z]$/.test(phrase) ? `${phrase}s` : undefined;
}

/** One typing mistake in the longest word, always the same for a phrase; undefined when every word is short. */
export function misspell(phrase: string): string | undefined {
  const words = phrase.split(' ');
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  if (longest.length < MIN_MISSPELT_LETTERS || !/^[a-z]+$/.test(longest)) return undefined;
  const hash = hashText(phrase);
  const at = 1 + (mix32(hash) % (longest.length - 2));
  const [before, letter, after] = [longest.slice(0, at), longest.slice(at, at + 1), longest.slice(at + 1)];
  const mistakes = [
    before + after,
    before + after.slice(0, 1) + letter + after.slice(1),
    before + letter + letter + after,
  ];
  const wrong = mistakes[hash % mistakes.length];
  if (wrong === undefined || wrong === longest) return undefined;
  return words.map((word) => (word === longest ? wrong : word)).join(' ');
}

/** The beginnings of the words that matter, so that "kids running shoes for kid" can be told to repeat itself. */
export function stems(phrase: string): readonly string[] {
  return phrase
    .split(/[ -]/)
    .filter((word) => word !== '' && !STOP_WORDS.has(word))
    .map((word) => word.replace(/'?s$/, '').slice(0, STEM_LETTERS));
}
