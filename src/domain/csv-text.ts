// A text as one field of a CSV file that people open in spreadsheets.
//
// Spreadsheets run a cell that looks like a formula. Which cells there are depends on the reader: one whose list separator is
// the semicolon or the tab splits a line elsewhere than RFC 4180 does, also within quotes that do not begin a cell. So every
// place of a text at which some reader could begin a cell counts: its start, and behind a comma, semicolon, bar, tab or line
// break. Where white space or quotes and then = + - @ or their full-width forms follow, or an apostrophe, the place gets an
// apostrophe. The rule can be undone exactly: each of these places that has an apostrophe has one too many.

const RISKY_START = /^(?:['\t\n\r]|[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;
/** Takes the whole run, whatever follows, so that the time is linear in the text. */
const INNER_START = /[,;|\t\n\r][\s"]*/gu;
const SEPARATOR = /[,;|\t\n\r]/gu;
const SIGNS = '=+-@\uff1d\uff0b\uff0d\uff20';
const ANY_SIGN = /['=+\-@\uff1d\uff0b\uff0d\uff20]/u;
const NEEDS_QUOTES = /[",;|\t\n\r]|^\s|\s$/u;

export function csvField(text: string): string {
  const safe = ANY_SIGN.test(text) || RISKY_START.test(text) ? disarm(text) : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function disarm(text: string): string {
  const inner = text.replace(INNER_START, (run, offset: number) => {
    const next = text[offset + run.length] ?? '';
    if (next !== '' && SIGNS.includes(next)) return run.replace(SEPARATOR, "$&'");
    return next === "'" && /[,;|\t\n\r]$/u.test(run) ? `${run}'` : run;
  });
  return RISKY_START.test(text) ? `'${inner}` : inner;
}
