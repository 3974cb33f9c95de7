/** Control characters other than line breaks, and what changes the direction of text. */
const UNPRINTABLE = /[^\P{Cc}\n]|[\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** Text that may come from a file or its name: it must not command the terminal. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '\uFFFD');
}

/** The same where a line break would look like a line of ours. */
export function oneLine(text: string): string {
  return printable(text).replaceAll('\n', '\uFFFD');
}

export interface JsonFlag {
  readonly json?: boolean | undefined;
}

/** Prints a value for scripts, or lines for people. */
export function print(value: unknown, { json, lines }: JsonFlag & { readonly lines: readonly string[] }): void {
  console.log(json ? JSON.stringify(value, null, 2) : printable(lines.join('\n')));
}

/** The cell of an item by the title of its column. */
export type Columns<T> = Readonly<Record<string, (item: T) => string>>;

interface ListForm<T> extends JsonFlag {
  readonly columns: Columns<T>;
  readonly present: (item: T) => unknown;
  /** What is said instead of an empty table. */
  readonly none: string;
}

/** Prints items for scripts, or a table of them for people. */
export function printList<T>(items: readonly T[], { json, columns, present, none }: ListForm<T>): void {
  const rows = items.map((item) => Object.values(columns).map((cellOf) => cellOf(item)));
  print(items.map(present), { json, lines: rows.length > 0 ? tabulate(Object.keys(columns), rows) : [none] });
}

/** Rows under a header, each column as wide as its widest cell. */
export function tabulate(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [header, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A number for people. */
export function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** An instant for people: to the minute, in UTC. */
export function shortTime(instant: Date | null, otherwise: string): string {
  return instant === null ? otherwise : `${instant.toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
