// The words of the visible terms, kept in memory for the typos of queries, and only for windows that met one.
import type { Period } from '../../domain/period.ts';
import type { ReadOptions } from '../../domain/store.ts';
import type { VocabularyWord } from '../../domain/typo.ts';
import { stemWord } from '../../domain/words.ts';
import { periodNumber } from '../period-number.ts';
import type { SetReader } from '../set-reader.ts';
import { sql } from '../sql.ts';
import { TOKENS } from '../tokens.ts';

/** By the first period of the window. */
const vocabularies = new WeakMap<SetReader, Map<number, Promise<readonly VocabularyWord[]>>>();

export async function vocabularyOf(
  reader: SetReader,
  window: readonly Period[],
  options?: ReadOptions,
): Promise<readonly VocabularyWord[]> {
  const [first] = window;
  if (!first) return [];
  const known = vocabularies.get(reader) ?? new Map<number, Promise<readonly VocabularyWord[]>>();
  vocabularies.set(reader, known);
  const from = periodNumber(first);
  // Of all who wait for it none may take it away from the others; each stops waiting by itself.
  const reading = known.get(from) ?? readVocabulary(reader, from);
  known.set(from, reading);
  reading.catch(() => known.delete(from));
  return await untilAborted(reading, options);
}

async function readVocabulary(reader: SetReader, from: number): Promise<readonly VocabularyWord[]> {
  const [words, stems] = await Promise.all([
    countTokens(reader, { from, kind: TOKENS.word }),
    countTokens(reader, { from, kind: TOKENS.stem }),
  ]);
  return [...words.keys()].map((word) => ({ word, termCount: stems.get(stemWord(word)) ?? 0 }));
}

async function countTokens(
  reader: SetReader,
  { from, kind }: { readonly from: number; readonly kind: string },
): Promise<ReadonlyMap<string, number>> {
  const found = await reader.rows<{ token: string; terms: number }>(
    sql`SELECT token, count() AS terms FROM ${reader.tables.postings.all}
      WHERE generation = ${reader.generation} AND latest_period >= ${from}
        AND token >= ${kind} AND token < concat(${kind}, unhex('ff')) GROUP BY token`,
  );
  return new Map(found.map(({ token, terms }) => [token.slice(kind.length), terms]));
}

async function untilAborted<T>(work: Promise<T>, { signal }: ReadOptions = {}): Promise<T> {
  if (!signal) return await work;
  const { promise, reject } = promiseWithReject();
  const leave = () => reject(signal.reason);
  signal.addEventListener('abort', leave);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

function promiseWithReject(): { readonly promise: Promise<never>; readonly reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<never>((_, fail) => {
    reject = fail;
  });
  return { promise, reject };
}
