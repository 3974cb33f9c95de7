// similarity_score of many documents at once. How many trigrams a term has is a column, so the best similarity it could have
// with the query is known without a look at its text: the terms with the best chances are compared first, and once enough
// of them are better than any other can be, the rest is behind the page whatever it is.
import { parseTrigrams, similarityOfCounts } from '../../domain/similarity.ts';
import { MAX_TRIGRAM_COUNT } from '../format/format.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { openTrigramCounter } from '../format/term-trigrams.ts';
import type { DocumentList } from './document-list.ts';

const CHECK_EVERY = 16_384;

/**
 * Single-precision bits of each similarity: for numbers from 0 to 1 they compare as the numbers do. Documents that at least
 * `reach` others surely beat have 0; without a reach every similarity is exact.
 */
export function listSimilarityCodes(
  view: SnapshotView,
  {
    text,
    documents,
    reach = documents.length,
    throwIfCancelled,
  }: {
    readonly text: string;
    readonly documents: DocumentList;
    readonly reach?: number | undefined;
    readonly throwIfCancelled: () => void;
  },
): Uint32Array {
  const wanted = parseTrigrams(text);
  const counter = openTrigramCounter(wanted);
  const values = new Float32Array(documents.length);
  const groups = groupByChance(view, { documents, wantedCount: wanted.size });
  let compared = 0;
  for (const [n, { positions }] of groups.entries()) {
    for (const position of positions) {
      if (compared % CHECK_EVERY === 0) throwIfCancelled();
      compared += 1;
      const slot = view.documentSlots[documents[position] ?? 0] ?? 0;
      const sharedCount = counter.count(view.terms, slot);
      const aCount = trigramCount(view, { document: documents[position] ?? 0, slot });
      values[position] = similarityOfCounts({ aCount, bCount: wanted.size, sharedCount });
    }
    const next = groups[n + 1];
    if (next && compared >= reach && countAbove(values, next.chance) >= reach) break;
  }
  return new Uint32Array(values.buffer);
}

interface ChanceGroup {
  /** No document of the group is more similar than this. */
  readonly chance: number;
  readonly positions: Uint32Array;
}

/** Positions of the documents by the number of trigrams of their terms, those with the best chances first. */
function groupByChance(
  view: SnapshotView,
  { documents, wantedCount }: { readonly documents: DocumentList; readonly wantedCount: number },
): readonly ChanceGroup[] {
  const counts = new Uint32Array(MAX_TRIGRAM_COUNT + 1);
  for (let i = 0; i < documents.length; i += 1) {
    const trigrams = view.trigramCounts[documents[i] ?? 0] ?? 0;
    counts[trigrams] = (counts[trigrams] ?? 0) + 1;
  }
  const groups = Array.from(counts, (count, trigrams) => {
    // At best one set of trigrams holds the other. Terms with more than the column can tell have at least so many.
    const sharedCount = trigrams === MAX_TRIGRAM_COUNT ? wantedCount : Math.min(trigrams, wantedCount);
    const aCount = Math.max(trigrams, sharedCount);
    const chance = similarityOfCounts({ aCount, bCount: wantedCount, sharedCount });
    return { chance, positions: new Uint32Array(count) };
  });
  counts.fill(0);
  for (let i = 0; i < documents.length; i += 1) {
    const trigrams = view.trigramCounts[documents[i] ?? 0] ?? 0;
    const group = groups[trigrams];
    if (group) group.positions[counts[trigrams] ?? 0] = i;
    counts[trigrams] = (counts[trigrams] ?? 0) + 1;
  }
  return groups.filter(({ positions }) => positions.length > 0).sort((a, b) => b.chance - a.chance);
}

const allTrigrams = openTrigramCounter();

function trigramCount(
  view: SnapshotView,
  { document, slot }: { readonly document: number; readonly slot: number },
): number {
  const known = view.trigramCounts[document] ?? 0;
  return known < MAX_TRIGRAM_COUNT ? known : allTrigrams.count(view.terms, slot);
}

function countAbove(values: Float32Array, limit: number): number {
  let count = 0;
  for (let i = 0; i < values.length; i += 1) count += (values[i] ?? 0) > limit ? 1 : 0;
  return count;
}
