// What stands in for a query word that no visible term has. The nodes name the words that share enough trigrams with it; the domain chooses
// among these few.
import { parseTrigrams } from '../../domain/similarity.ts';
import type { ReadOptions } from '../../domain/store.ts';
import { findReplacements, leastShared, type VocabularyWord } from '../../domain/typo.ts';
import { isSpelled, stemWord } from '../../domain/words.ts';
import type { SetReader } from '../set-reader.ts';
import { list, type Sql, sql } from '../sql.ts';
import { ANY_TRIGRAM, TOKENS } from '../tokens.ts';

/** Stems; none when no word is near. `visible` is a condition on a generation and its latest periods. */
export async function findStandIns(
  reader: SetReader,
  { word, visible }: { readonly word: string; readonly visible: Sql },
  options?: ReadOptions,
): Promise<readonly string[]> {
  if (!isSpelled(word)) return [];
  const near = await listNearWords(reader, { word, visible }, options);
  return [...new Set(findReplacements(word, near).map(stemWord))];
}

async function listNearWords(
  reader: SetReader,
  { word, visible }: { readonly word: string; readonly visible: Sql },
  options?: ReadOptions,
): Promise<readonly VocabularyWord[]> {
  const { words, postings } = reader.tables;
  const trigrams = [...parseTrigrams(word)];
  const found = await reader.rows<{ word: string }>(
    sql`SELECT word FROM ${words.all} WHERE ${visible} AND trigram IN ${list([...trigrams, ANY_TRIGRAM])}
      GROUP BY word HAVING max(trigram = ${ANY_TRIGRAM}) OR uniqExact(trigram) >= ${leastShared(word, trigrams.length)}`,
    options,
  );
  if (found.length === 0) return [];
  const stems = new Set(found.map((each) => TOKENS.stem + stemWord(each.word)));
  const counted = await reader.rows<{ token: string; terms: number }>(
    sql`SELECT token, count() AS terms FROM ${postings.all} WHERE ${visible} AND token IN ${list([...stems])} GROUP BY token`,
    options,
  );
  const counts = new Map(counted.map(({ token, terms }) => [token, terms]));
  return found.map((each) => ({ word: each.word, termCount: counts.get(TOKENS.stem + stemWord(each.word)) ?? 0 }));
}
