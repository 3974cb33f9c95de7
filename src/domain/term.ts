// A search term as imported is kept for display; two terms are the same keyword when their normalised forms are equal.

/** Longest text accepted in a request parameter, in characters after normalisation. */
export const MAX_TEXT_CHARACTERS = 256;

// Controls; format characters such as zero-width and direction marks; the object replacement character U+FFFC that
// marks the phantom twins of Amazon's reports.
const INVISIBLE = /[\p{Cc}\p{Cf}\uFFFC]/gu;
const WHITE_SPACE = /[\s\u0085]+/gu;

/** NFKC, lower case, invisible characters removed, white space collapsed and trimmed. Idempotent. */
export function normalizeTerm(term: string): string {
  return term
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(WHITE_SPACE, ' ')
    .replace(INVISIBLE, '')
    .replace(WHITE_SPACE, ' ')
    .trim();
}
