// The words of queries as they are looked for: by their stems, or, where no visible term has a word, by the stems of those that stand in
// for it.
import type { Period } from '../../domain/period.ts';
import type { QueryText } from '../../domain/query-text.ts';
import type { ReadOptions } from '../../domain/store.ts';
import { periodNumber } from '../period-number.ts';
import { remembered } from '../remembered.ts';
import type { SetReader } from '../set-reader.ts';
import { allOf, list, type Sql, sql } from '../sql.ts';
import { TOKENS } from '../tokens.ts';
import { findStandIns } from './stand-ins.ts';

export interface SoughtQuery {
  readonly text: string;
  readonly spellings: readonly string[];
  /** Distinct. Without words the text is the whole term. */
  readonly words: readonly SoughtWord[];
}

export interface SoughtWord {
  /** A term that has one of them has the word. */
  readonly stems: readonly string[];
  readonly isTypo: boolean;
}

export type Window = readonly Period[];

/** Of visible terms. */
export function isVisible(reader: SetReader, window: Window): Sql {
  const [first] = window;
  if (!first) return sql`0`;
  return sql`generation = ${reader.generation} AND latest_period >= ${periodNumber(first)}`;
}

export async function seekQueries(
  reader: SetReader,
  { queries, window }: { readonly queries: readonly QueryText[]; readonly window: Window },
  options?: ReadOptions,
): Promise<readonly SoughtQuery[]> {
  const known = await findKnownStems(reader, { queries, window }, options);
  const visible = isVisible(reader, window);
  const standIns = remembered((word) => findStandIns(reader, { word, visible }, options));
  const sought: SoughtQuery[] = [];
  for (const { text, words } of queries) {
    const spellings = words.map(({ spelling }) => spelling);
    sought.push({ text, spellings, words: await seekWords(reader, { words, known, visible, standIns }, options) });
  }
  return sought;
}

/**
 * Typos are sought for as long as that can matter: once no term has all the words looked at so far, none will have all of them, whatever the
 * others mean. A long text of misspelled words would be hundreds of questions.
 */
async function seekWords(
  reader: SetReader,
  {
    words,
    known,
    visible,
    standIns,
  }: {
    readonly words: QueryText['words'];
    readonly known: ReadonlySet<string>;
    readonly visible: Sql;
    readonly standIns: (word: string) => Promise<readonly string[]>;
  },
  options?: ReadOptions,
): Promise<readonly SoughtWord[]> {
  const distinct = distinctWords(words);
  const sought = new Map<string, SoughtWord>();
  for (const { stem } of distinct) if (known.has(stem)) sought.set(stem, { stems: [stem], isTypo: false });
  const unknown = distinct.filter(({ stem }) => !known.has(stem));
  let isInVain = false;
  for (const [i, { stem, spelling }] of unknown.entries()) {
    const stems: readonly string[] = isInVain ? [] : await standIns(spelling);
    sought.set(stem, { stems, isTypo: true });
    if (isInVain || i === unknown.length - 1) continue;
    isInVain = stems.length === 0 || !(await hasTerm(reader, { visible, words: [...sought.values()] }, options));
  }
  return distinct.flatMap(({ stem }) => sought.get(stem) ?? []);
}

async function hasTerm(
  reader: SetReader,
  { visible, words }: { readonly visible: Sql; readonly words: readonly SoughtWord[] },
  options?: ReadOptions,
): Promise<boolean> {
  const found = await reader.rows(
    sql`SELECT term_id FROM ${reader.tables.documents.all} WHERE ${visible} AND ${findsWords(reader, words)} LIMIT 1`,
    options,
  );
  return found.length > 0;
}

/** An exclusion is taken as it is spelled. */
export function seekAsSpelled({ text, words }: QueryText): SoughtQuery {
  return {
    text,
    spellings: words.map(({ spelling }) => spelling),
    words: words.map(({ stem }) => ({ stems: [stem], isTypo: false })),
  };
}

/** By the postings, which lie in the order of their tokens. */
export function findsWords(reader: SetReader, words: readonly SoughtWord[]): Sql {
  return allOf(words.map(({ stems }) => hasToken(reader, stems, TOKENS.stem)));
}

export function hasToken(reader: SetReader, texts: readonly string[], kind: string): Sql {
  if (texts.length === 0) return sql`0`;
  return sql`term_id IN (SELECT term_id FROM ${reader.tables.postings.here}
    WHERE generation = ${reader.generation} AND token IN ${list(texts.map((text) => kind + text))})`;
}

/** Each stem with the spelling that it has first; in the order of their last places, in which weights are added. */
function distinctWords(words: QueryText['words']): readonly { readonly stem: string; readonly spelling: string }[] {
  const distinct = new Map(words.map(({ stem, spelling }) => [stem, spelling] as const).reverse());
  return [...distinct].reverse().map(([stem, spelling]) => ({ stem, spelling }));
}

async function findKnownStems(
  reader: SetReader,
  { queries, window }: { readonly queries: readonly QueryText[]; readonly window: Window },
  options?: ReadOptions,
): Promise<ReadonlySet<string>> {
  const stems = [...new Set(queries.flatMap(({ words }) => words.map(({ stem }) => TOKENS.stem + stem)))];
  if (stems.length === 0) return new Set();
  const found = await reader.rows<{ token: string }>(
    sql`SELECT DISTINCT token FROM ${reader.tables.postings.all}
      WHERE ${isVisible(reader, window)} AND token IN ${list(stems)}`,
    options,
  );
  return new Set(found.map(({ token }) => token.slice(TOKENS.stem.length)));
}
