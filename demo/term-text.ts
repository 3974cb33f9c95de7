// From the two integers of a term to its words.

import { BYTE, type ByteSink, putByte, putPiece } from './byte-sink.ts';
import { SLOTS } from './family.ts';
import { NO_PIECE, type TermSpace, TOKEN } from './term-space.ts';

/** The numbers of a term's modifiers, in the order of its pattern's slots. Reused from term to term. */
export interface TermValues {
  readonly values: Uint16Array;
  count: number;
}

export const MAX_SLOTS = 4;

export interface TermCode {
  readonly template: number;
  readonly combination: number;
}

export function createTermValues(): TermValues {
  return { values: new Uint16Array(MAX_SLOTS), count: 0 };
}

export function headOf(space: TermSpace, template: number): number {
  return Math.floor(template / space.patterns.length);
}

export function decodeTerm(space: TermSpace, code: TermCode, into: TermValues): void {
  const head = headOf(space, code.template);
  const slots = space.patterns[code.template - head * space.patterns.length]?.slots ?? [];
  let rest = code.combination;
  for (let index = 0; index < slots.length; index += 1) {
    const choices = space.choices[head * SLOTS.length + (slots[index] ?? 0)];
    if (!choices) break;
    const next = Math.floor(rest / choices.length);
    into.values[index] = choices[rest - next * choices.length] ?? 0;
    rest = next;
  }
  into.count = slots.length;
}

/** Writes the words of a decoded term with single spaces between them. */
export function putTerm(
  sink: ByteSink,
  space: TermSpace,
  term: { readonly template: number; readonly values: TermValues },
): void {
  const head = headOf(space, term.template);
  const tokens = space.patterns[term.template - head * space.patterns.length]?.tokens;
  if (!tokens) return;
  let used = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] ?? 0;
    if (index > 0) putByte(sink, BYTE.space);
    if (token >= 0) {
      putPiece(sink, space.lexicon, space.values.searchPiece[term.values.values[used] ?? 0] ?? 0);
      used += 1;
    } else if (token <= TOKEN.literal) putPiece(sink, space.lexicon, TOKEN.literal - token);
    else putPiece(sink, space.lexicon, headPiece(space, { head, form: token }));
  }
}

/** The noun as a pattern wants it, or NO_PIECE when it has no such form. */
export function headPiece(space: TermSpace, { head, form }: { readonly head: number; readonly form: number }): number {
  if (form === TOKEN.otherNumber) return space.heads.otherPiece[head] ?? NO_PIECE;
  if (form === TOKEN.misspelt) return space.heads.misspeltPiece[head] ?? NO_PIECE;
  return space.heads.searchPiece[head] ?? NO_PIECE;
}
