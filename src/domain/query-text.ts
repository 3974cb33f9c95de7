// A text of a caller in the forms in which terms are compared with it. Planning makes it once; no engine parses texts again.
import { normalizeTerm } from './term.ts';
import { parseWords, stemWord } from './words.ts';

export interface QueryText {
  /** Normalised; what a text without words, such as an emoji, is compared with as a whole. */
  readonly text: string;
  /** In their order, repeats included. */
  readonly words: readonly TextWord[];
}

export interface TextWord {
  /** Folded. */
  readonly spelling: string;
  readonly stem: string;
}

export function parseQueryText(text: string): QueryText {
  const normalized = normalizeTerm(text);
  return {
    text: normalized,
    words: parseWords(normalized).map((spelling) => ({ spelling, stem: stemWord(spelling) })),
  };
}

/** Two spellings of one term are one text. */
export function parseQueryTexts(texts: readonly string[]): readonly QueryText[] {
  return [...new Set(texts.map(normalizeTerm))].map(parseQueryText);
}
