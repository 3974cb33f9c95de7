// Text that any spreadsheet, XML parser and editor can take. Terms come from strangers' reports, so nothing is assumed.
//
// Cleaning, the same in every file form: CR LF and CR become a line feed; tab and line feed stay; every other control
// character (U+0000-001F, U+007F-009F), lone surrogate and the noncharacters U+FFFE and U+FFFF become U+FFFD, so that a
// reader sees something was there. Excel takes 32,767 UTF-16 units per cell; longer text ends in an ellipsis.

export const MAX_CELL_CHARACTERS = 32_767;

/** Excel's own limit is in UTF-16 units, which is what `length` counts. */
const ELLIPSIS = '…';

const CARRIAGE_RETURN = /\r\n?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
const NOT_ALLOWED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff\ufffe\uffff]/gu;
// Without the u flag: also stops at valid pairs, and is several times faster for the many texts that need nothing.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
const MAYBE_NOT_ALLOWED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff\ufffe\uffff]/;

const MARKUP = /[&<>]/;
const MARKUP_ALL = /[&<>]/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Excel reads _x0041_ inside a text as the character U+0041; escaping the first underscore keeps it as written. */
const HEX_ESCAPE = /_(?=x[0-9A-Fa-f]{4}_)/g;

export function cleanText(text: string): string {
  const allowed = MAYBE_NOT_ALLOWED.test(text)
    ? text.replace(CARRIAGE_RETURN, '\n').replace(NOT_ALLOWED, '\ufffd')
    : text;
  return allowed.length > MAX_CELL_CHARACTERS ? truncate(allowed) : allowed;
}

/** Cleaned text as the content of a worksheet's `t` element. */
export function sheetText(text: string): string {
  const clean = cleanText(text);
  const literal = clean.includes('_x') ? clean.replace(HEX_ESCAPE, '_x005F_') : clean;
  return MARKUP.test(literal) ? literal.replace(MARKUP_ALL, (character) => ENTITIES[character] ?? '') : literal;
}

/** A text as an inline string, the only form in which user text enters a sheet: never a formula, number or link. */
export function inlineString(text: string): string {
  return `<is><t xml:space="preserve">${sheetText(text)}</t></is>`;
}

function truncate(text: string): string {
  const kept = text.slice(0, MAX_CELL_CHARACTERS - ELLIPSIS.length);
  const last = kept.charCodeAt(kept.length - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return (splitsPair ? kept.slice(0, -1) : kept) + ELLIPSIS;
}
