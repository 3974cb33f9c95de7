import type { DocumentList } from './document-list.ts';
import { takeRoom } from './scratch-room.ts';
import type { Summaries } from './snapshot-view.ts';
import { type Candidates, CHECK_EVERY, type TrendOptions } from './trend-candidates.ts';

/** Candidates whose only rank in the window is the newest one: candidates have that rank, so it is the only one they have. */
export function listNewcomers(
  { totalPeriods }: Summaries,
  { documents, from, to }: Candidates,
  { throwIfCancelled }: TrendOptions,
): DocumentList {
  const out = takeRoom('documents', to - from);
  let count = 0;
  for (let chunk = from; chunk < to; chunk += CHECK_EVERY) {
    throwIfCancelled();
    const end = Math.min(to, chunk + CHECK_EVERY);
    for (let i = chunk; i < end; i += 1) {
      const document = documents ? (documents[i] ?? 0) : i;
      out[count] = document;
      count += totalPeriods[document] === 1 ? 1 : 0;
    }
  }
  return out.subarray(0, count);
}
