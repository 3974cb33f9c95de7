// fts_rank of matches as codes: the place of its value among the few values that can occur, so that codes compare as values do.
import { ftsRank, wordWeight } from '../../domain/ranking.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { takeList } from './arena.ts';
import type { DocumentList } from './document-list.ts';
import type { ParsedQuery } from './vocabulary.ts';

const MAX_WORD_COUNT = 255;

/** For each query a table from word count to code. The value depends on nothing else, since every word must match. */
export function planFtsCodes(queries: readonly ParsedQuery[], visibleCount: number): readonly Uint32Array[] {
  const values = queries.map(({ words }) => {
    const weights = words.map(({ documents }) => wordWeight({ termCount: visibleCount, matchCount: documents.length }));
    return Array.from({ length: MAX_WORD_COUNT + 1 }, (_, wordCount) => ftsRank({ weights, wordCount }));
  });
  const ordered = [...new Set(values.flat())].sort((a, b) => a - b);
  const codeByValue = new Map(ordered.map((value, code) => [value, code]));
  return values.map((table) => Uint32Array.from(table, (value) => codeByValue.get(value) ?? 0));
}

export function listFtsCodes(view: SnapshotView, documents: DocumentList, table: Uint32Array): Uint32Array {
  const codes = takeList(documents.length);
  for (let i = 0; i < documents.length; i += 1) codes[i] = table[view.wordCounts[documents[i] ?? 0] ?? 0] ?? 0;
  return codes;
}
