// The keywords of a snapshot as a file that every peer can load: tab-separated, one line per document.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { NO_COMPARISON } from '../../src/domain/comparison.ts';
import { NONE_16, NONE_32 } from '../../src/snapshot/format/format.ts';
import { latestPeriodIndex, type SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import { valueAt } from '../../src/snapshot/format/sparse-column.ts';
import { readText } from '../../src/snapshot/format/text-column.ts';
import { openMeasure } from '../../src/snapshot/query/measure.ts';

const FLUSH_BYTES = 1_000_000;
const NULL = '\\N';

/** Columns before the ranks, which are r0, r1 … from the oldest period on. */
export const KEYWORD_COLUMNS = [
  ['id', 'INTEGER'],
  ['term', 'TEXT'],
  ['words', 'TEXT'],
  ['tokens', 'TEXT'],
  ['word_count', 'INTEGER'],
  ['latest_period', 'INTEGER'],
  ['latest_rank', 'INTEGER'],
  ['best_rank', 'INTEGER'],
  ['worst_rank', 'INTEGER'],
  ['avg_rank', 'INTEGER'],
  ['total_periods', 'INTEGER'],
  // Computed beforehand, which is more than an application of today would have.
  ['click_concentration', 'INTEGER'],
  ['conversion_to_click', 'INTEGER'],
] as const;

export function rankColumns(view: SnapshotView): readonly string[] {
  return view.periods.map((_, i) => `r${i}`);
}

export async function writeKeywordFile(view: SnapshotView, path: string): Promise<void> {
  const file = createWriteStream(path, { mode: 0o644 });
  let text = '';
  for (let document = 0; document < view.documentCount; document += 1) {
    text += `${fieldsOf(view, document).join('\t')}\n`;
    if (text.length < FLUSH_BYTES) continue;
    if (!file.write(text)) await once(file, 'drain');
    text = '';
  }
  file.end(text);
  await once(file, 'finish');
}

function fieldsOf(view: SnapshotView, document: number): readonly (string | number)[] {
  const slot = view.documentSlots[document] ?? 0;
  const words = wordsOf(view, slot);
  const summaries = view.summaries.get(view.periods.length);
  if (!summaries) throw new Error('the snapshot has no summaries over all periods');
  return [
    document,
    escapeText(readText(view.terms, slot)),
    escapeText(words.map((word) => readText(view.words, word)).join(' ')),
    escapeText(tokensOf(view, { document, words }).join(' ')),
    view.wordCounts[document] ?? 0,
    latestPeriodIndex(view, document),
    view.latestRanks[document] ?? 0,
    summaries.bestRanks[document] ?? 0,
    summaries.worstRanks[document] ?? 0,
    summaries.avgRanks[document] ?? 0,
    summaries.totalPeriods[document] ?? 0,
    ...MEASURES.map((name) => measureOf(view, { name, document })),
    ...view.ranks.map((ranks) => valueAt(ranks, slot) || NULL),
  ];
}

const MEASURES = ['click_concentration', 'conversion_to_click'] as const;

function measureOf(
  view: SnapshotView,
  { name, document }: { readonly name: (typeof MEASURES)[number]; readonly document: number },
): string | number {
  const value = openMeasure(view, { comparison: NO_COMPARISON }, name)?.valuesOf(Uint32Array.of(document))[0];
  return value === undefined || Number.isNaN(value) ? NULL : value;
}

function wordsOf(view: SnapshotView, slot: number): readonly number[] {
  const start = slot === 0 ? 0 : (view.slotWordEnds[slot - 1] ?? 0);
  return Array.from(view.slotWords.subarray(start, view.slotWordEnds[slot] ?? 0));
}

function tokensOf(
  view: SnapshotView,
  { document, words }: { readonly document: number; readonly words: readonly number[] },
): readonly string[] {
  const tokens = new Set(words.map((word) => readText(view.stems, view.wordStems[word] ?? 0)));
  for (const column of view.brands) if (column[document] !== NONE_32) tokens.add(`b${column[document]}`);
  for (const column of view.categories) if (column[document] !== NONE_16) tokens.add(`c${column[document]}`);
  for (const column of view.products) if (column[document] !== NONE_32) tokens.add(`p${column[document]}`);
  return [...tokens];
}

/** Terms have no control characters, so only the escape character itself needs one. */
function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\');
}
