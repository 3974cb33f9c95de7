// The words of queries as they are looked for: by their stems, or, where no visible term has a word, by the stems of those that stand in
// for it.
import type { Period } from '../../domain/period.ts';
import type { QueryText } from '../../domain/query-text.ts';
import type { ReadOptions } from '../../domain/store.ts';
import { findReplacements } from '../../domain/typo.ts';
import { stemWord } from '../../domain/words.ts';
import { periodNumber } from '../period-number.ts';
import type { SetReader } from '../set-reader.ts';
import { list, type Sql, sql } from '../sql.ts';
import { TOKENS } from '../tokens.ts';
import { vocabularyOf } from './vocabulary.ts';

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
  const replacements = new Map<string, readonly string[]>();
  for (const { words } of queries) {
    for (const { stem, spelling } of distinctWords(words)) {
      if (known.has(stem) || replacements.has(spelling)) continue;
      const vocabulary = await vocabularyOf(reader, window, options);
      replacements.set(spelling, findReplacements(spelling, vocabulary).map(stemWord));
    }
  }
  return queries.map(({ text, words }) => ({
    text,
    spellings: words.map(({ spelling }) => spelling),
    words: distinctWords(words).map(({ stem, spelling }) =>
      known.has(stem) ? { stems: [stem], isTypo: false } : { stems: replacements.get(spelling) ?? [], isTypo: true },
    ),
  }));
}

/** An exclusion is taken as it is spelled. */
export function seekAsSpelled({ text, words }: QueryText): SoughtQuery {
  return {
    text,
    spellings: words.map(({ spelling }) => spelling),
    words: words.map(({ stem }) => ({ stems: [stem], isTypo: false })),
  };
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
