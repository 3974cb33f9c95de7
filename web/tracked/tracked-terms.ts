// Which keywords the reader tracks, known to every view that shows a star.
import { computed, signal } from '@preact/signals';
import { type ApiFailure, ask, forgetAnswers } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { TrackedAnswer, TrackedKeyword } from '../api/wire.ts';
import { apiKey } from '../app/session.ts';
import { formatNumber } from '../parts/format.ts';
import { showToast } from '../parts/toast.tsx';

const PATH = '/v1/tracked-keywords';

/** Undefined until the list has come. */
export const tracked = signal<readonly TrackedKeyword[] | undefined>(undefined);
export const trackedFailure = signal<ApiFailure | undefined>(undefined);
/** Terms whose star is on its way. */
const pending = signal<ReadonlySet<string>>(new Set());

apiKey.subscribe(() => {
  tracked.value = undefined;
});

const trackedByTerm = computed(
  () => new Map((tracked.value ?? []).map((each) => [foldTerm(each.search_term.original_term), each])),
);

/** Near enough to the service's own normal form to tell which star is lit. */
function foldTerm(term: string): string {
  return term.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

export function findTracked(term: string): TrackedKeyword | undefined {
  return trackedByTerm.value.get(foldTerm(term));
}

export function isPending(term: string): boolean {
  return pending.value.has(foldTerm(term));
}

export async function loadTracked(): Promise<void> {
  forgetAnswers(PATH);
  try {
    const { data } = await ask<TrackedAnswer>(PATH);
    tracked.value = data;
    trackedFailure.value = undefined;
  } catch (error) {
    trackedFailure.value = asFailure(error);
  }
}

export async function toggleTracked(term: string): Promise<void> {
  if (isPending(term)) return;
  pending.value = new Set([...pending.value, foldTerm(term)]);
  try {
    const known = findTracked(term);
    if (known) await ask(`${PATH}/${known.id}`, { method: 'DELETE' });
    else await ask(PATH, { method: 'POST', body: { search_term: term } });
    showToast(known ? `No longer tracking “${term}”.` : `Tracking “${term}”.`);
  } catch (error) {
    showToast(explain(asFailure(error)), { isFailure: true });
  }
  await loadTracked();
  pending.value = new Set([...pending.value].filter((each) => each !== foldTerm(term)));
}

interface BulkAnswer {
  readonly created_count: number;
  readonly existing_count: number;
}

/** As many as the service takes in one request. */
export const MAX_TRACKED_AT_ONCE = 500;

/** All of them at once; says how many are new. */
export async function trackAll(terms: readonly string[]): Promise<void> {
  try {
    const { created_count: added, existing_count: known } = await ask<BulkAnswer>(PATH, {
      method: 'POST',
      body: { keywords: terms.map((term) => ({ search_term: term })) },
      // Sent twice by a shaky connection, it still counts once.
      headers: { 'idempotency-key': crypto.randomUUID() },
    });
    const remark = known > 0 ? `; ${formatNumber(known)} were tracked already` : '';
    showToast(`Tracking ${formatNumber(added)} more${remark}.`);
  } finally {
    await loadTracked();
  }
}

export function explain(failure: ApiFailure): string {
  if (failure.status === 404 || failure.status === 405) return 'This server cannot do that yet.';
  return [failure.message, failure.hint].filter(Boolean).join(' ');
}
