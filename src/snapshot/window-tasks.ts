// How the threads compute what a search needs of a window, for one generation.
import type { RankView } from '../domain/store.ts';
import { ComputedWindows } from './computed-windows.ts';
import type { SeasonBuffers } from './format/season-columns.ts';
import type { SummaryBuffers } from './format/summaries.ts';
import type { ExportPiece, ExportTask } from './threads/export-task.ts';
import type { Answer, Asked, Question, SearchTask } from './threads/search-worker.ts';
import type { ThreadPool } from './threads/thread-pool.ts';
import { planSeasonPages } from './trends/seasons.ts';

export interface ComputingPools {
  readonly search: ThreadPool<SearchTask, Answer<Question>>;
  readonly exports: ThreadPool<ExportTask, ExportPiece>;
}

interface ComputedGeneration {
  readonly snapshotId: number;
  readonly periods: RankView['periods'];
  readonly slotCount: number;
}

export function openSummaries(
  { search, exports }: ComputingPools,
  { snapshotId, periods }: ComputedGeneration,
): ComputedWindows<SummaryBuffers> {
  return new ComputedWindows({
    // The snapshot itself has those of all periods.
    knownSize: periods.length,
    compute: (size) => runPatiently(search, { kind: 'summarize', asked: size, snapshotId }),
    attach: (size, buffers) => {
      for (const pool of [search, exports]) pool.attachWindow(snapshotId, size, { kind: 'summaries', buffers });
    },
    detach: (size) => {
      for (const pool of [search, exports]) pool.detachWindow(snapshotId, { kind: 'summaries', size });
    },
  });
}

export function openSeasons(
  { search }: ComputingPools,
  { snapshotId, periods, slotCount }: ComputedGeneration,
): ComputedWindows<SeasonBuffers> {
  // One task after the other: searches that wait for a thread come in between.
  const compute = async (size: number): Promise<SeasonBuffers> => {
    const parts: SeasonBuffers[] = [];
    for (const asked of planSeasonPages(periods, { size, slotCount })) {
      parts.push(await runPatiently(search, { kind: 'findSeasons', asked, snapshotId }));
    }
    return await runPatiently(search, { kind: 'joinSeasons', asked: parts, snapshotId });
  };
  return new ComputedWindows({
    knownSize: Number.POSITIVE_INFINITY,
    compute,
    attach: (size, buffers) => search.attachWindow(snapshotId, size, { kind: 'seasons', buffers }),
    detach: (size) => search.detachWindow(snapshotId, { kind: 'seasons', size }),
  });
}

async function runPatiently<Kind extends Question>(
  pool: ComputingPools['search'],
  { snapshotId, ...task }: { readonly kind: Kind; readonly asked: Asked<Kind>; readonly snapshotId: number },
): Promise<Answer<Kind>> {
  // A thread answers a question of this kind with an answer of this kind.
  return (await pool.run(task, { snapshotId, isPatient: true })) as Answer<Kind>;
}
