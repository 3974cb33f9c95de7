// The one way in which values reach SQL. A statement is a template; what stands in its places is written as a literal of ClickHouse,
// or is itself a statement that was made so. Servers that tests run on know no query parameters.

/** Made by `sql` and the functions of this file alone. */
export class Sql {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  static of(text: string): Sql {
    return new Sql(text);
  }
}

/** Arrays of them become arrays; one that may be empty needs a type, as `emptyArrayString()` has it. */
export type SqlValue = string | number | readonly string[] | readonly number[] | Sql;

export function sql(strings: TemplateStringsArray, ...values: readonly SqlValue[]): Sql {
  return Sql.of(strings.map((part, i) => (i === 0 ? part : write(values[i - 1] ?? '') + part)).join(''));
}

/** For IN. It has at least one value, because an empty list is no SQL. */
export function list(values: readonly (string | number)[]): Sql {
  if (values.length === 0) throw new Error('a list for IN is empty');
  return Sql.of(`(${values.map(writeOne).join(', ')})`);
}

export function join(parts: readonly Sql[], separator: ' AND ' | ' OR ' | ', '): Sql {
  return Sql.of(parts.map(({ text }) => text).join(separator));
}

/** The parts in brackets; with none of them `otherwise`. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`1` : Sql.of(`(${join(conditions, ' AND ').text})`);
}

export function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`0` : Sql.of(`(${join(conditions, ' OR ').text})`);
}

/** The name of a database, a table, a cluster or a column. */
export function name(...parts: readonly string[]): Sql {
  return Sql.of(parts.map((part) => `\`${escapeText(part).replaceAll('`', '\\`')}\``).join('.'));
}

export function strings(values: readonly string[]): Sql {
  return values.length === 0 ? sql`emptyArrayString()` : sql`${values}`;
}

function write(value: SqlValue): string {
  if (value instanceof Sql) return value.text;
  if (typeof value === 'object') return `[${value.map(writeOne).join(', ')}]`;
  return writeOne(value);
}

function writeOne(value: string | number): string {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new TypeError(`${value} is not a whole number`);
    return Object.is(value, -0) ? '0' : String(value);
  }
  return `'${escapeText(value).replaceAll("'", "\\'")}'`;
}

/** Halves of a character that no table holds; they are written as bytes that equal nothing there. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\0': '\\0', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeText(text: string): string {
  return text
    .replace(/[\\\0\n\r\t]/g, (character) => ESCAPED[character] ?? character)
    .replace(LONE_SURROGATE, bytesOfHalf);
}

function bytesOfHalf(half: string): string {
  const code = half.charCodeAt(0);
  const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  return bytes.map((byte) => `\\x${byte.toString(16)}`).join('');
}
