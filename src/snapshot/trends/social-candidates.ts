// Social reports name no categories: those of the retail keyword count, as far as it is visible. Which keyword that is costs a
// look-up per term, so it is found once for each pair of snapshots, when it is first asked for.
import type { Period } from '../../domain/period.ts';
import { NONE_32 } from '../format/format.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { findBytes, partOf, textEnd, textStart } from '../format/text-column.ts';
import { takeRoom } from '../query/arena.ts';
import { keepMarkedCategories, markCategories } from '../query/category-filter.ts';
import { findWindow } from '../query/plan-window.ts';
import {
  type CandidatePlan,
  type Candidates,
  CHUNK,
  findRankedCandidates,
  readChunk,
  type TrendOptions,
} from './trend-candidates.ts';

interface SocialOptions extends TrendOptions {
  readonly retail: SnapshotView | undefined;
}

export function findSocialCandidates(
  view: SnapshotView,
  plan: CandidatePlan & { readonly retailWindow: readonly Period[] },
  { retail, ...options }: SocialOptions,
): Candidates {
  const candidates = findRankedCandidates(view, plan, options);
  const { categories } = plan.filters;
  if (categories.length === 0) return candidates;
  const visibleCount = (retail && findWindow(retail, { window: plan.retailWindow })?.visibleCount) ?? 0;
  if (!retail || visibleCount === 0) return { documents: undefined, from: 0, to: 0 };
  const { from, to } = candidates;
  const twins = findTwins(view, { retail, ...options });
  const marks = markCategories(retail, categories);
  const kept = { documents: takeRoom('candidates', to - from), count: 0 };
  const [known, owners] = [new Uint32Array(CHUNK), new Uint32Array(CHUNK)];
  for (let start = from; start < to; start += CHUNK) {
    options.throwIfCancelled();
    let count = 0;
    for (const document of readChunk(candidates, { start, end: Math.min(to, start + CHUNK) })) {
      known[count] = document;
      owners[count] = twins[document] ?? NONE_32;
      count += Number((owners[count] ?? NONE_32) < visibleCount);
    }
    keepMarkedCategories(kept, known.subarray(0, count), { view: retail, marks, owners });
  }
  return { documents: kept.documents, from: 0, to: kept.count };
}

/** Kept as long as both snapshots are in use. */
const knownTwins = new WeakMap<SnapshotView, WeakMap<SnapshotView, Uint32Array>>();

/** By document of the newest period: the retail document of the same term, visible or not, or NONE_32. */
export function findTwins(
  view: SnapshotView,
  { retail, throwIfCancelled }: TrendOptions & { readonly retail: SnapshotView },
): Uint32Array {
  const ofView = knownTwins.get(view) ?? new WeakMap<SnapshotView, Uint32Array>();
  knownTwins.set(view, ofView);
  const known = ofView.get(retail);
  if (known) return known;
  const { terms, documentSlots } = view;
  const twins = new Uint32Array(view.periodEnds[0] ?? 0);
  for (let document = 0; document < twins.length; document += 1) {
    if (document % CHUNK === 0) throwIfCancelled();
    const term = documentSlots[document] ?? 0;
    const part = partOf(terms, term);
    const range = { bytes: part.bytes, start: textStart(part, term), end: textEnd(part, term) };
    const slot = findBytes(retail.termIndex, retail.terms, range);
    twins[document] = slot === undefined ? NONE_32 : (retail.slotDocuments[slot] ?? NONE_32);
  }
  ofView.set(retail, twins);
  return twins;
}
