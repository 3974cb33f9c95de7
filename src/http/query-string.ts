// Reads the raw query string strictly. Node hands the target over as bytes in Latin-1; they must be UTF-8, percent-encoded
// or not, and nothing is repaired: a damaged value would search for something the caller did not ask for.
import { invalidParameter } from '../domain/error.ts';

export type QueryValues = ReadonlyMap<string, readonly string[]>;

const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Values by parameter name, in the order given; `name[]` is the same as `name`. */
export function parseQueryString(queryString: string): QueryValues {
  const values = new Map<string, string[]>();
  for (const part of queryString.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const rawName = equals < 0 ? part : part.slice(0, equals);
    const decoded = decode(rawName, rawName);
    const name = decoded.endsWith('[]') ? decoded.slice(0, -2) : decoded;
    const value = equals < 0 ? '' : decode(part.slice(equals + 1), name);
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}

/** Says itself. */
const PLAIN = /^[!-$&-*,-~]*$/;

function decode(raw: string, name: string): string {
  if (PLAIN.test(raw)) return raw;
  const bytes = Buffer.from(raw, 'latin1');
  let length = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    let byte = bytes[i] ?? 0;
    if (byte === PERCENT) {
      const digits = raw.slice(i + 1, i + 3);
      if (!/^[0-9A-Fa-f]{2}$/.test(digits)) {
        const fault = 'has a percent sign that is not followed by two hexadecimal digits.';
        throw invalidParameter({ name: printable(name), fault }, 'Write a literal percent sign as %25.');
      }
      byte = Number.parseInt(digits, 16);
      i += 2;
    } else if (byte === PLUS) byte = SPACE;
    bytes[length] = byte;
    length += 1;
  }
  try {
    return utf8.decode(bytes.subarray(0, length));
  } catch {
    const hint = 'Encode the text as UTF-8 before percent-encoding it.';
    throw invalidParameter({ name: printable(name), fault: 'is not valid UTF-8.' }, hint);
  }
}

/** Text of a caller inside a message: short, and without characters that could disturb a terminal or a log. */
export function printable(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\uFFFD');
  const characters = [...clean];
  return characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : clean;
}
