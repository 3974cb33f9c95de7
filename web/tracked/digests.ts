import { signal } from '@preact/signals';
import { type ApiFailure, ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { Digest, DigestsAnswer } from '../api/wire.ts';
import { apiKey } from '../app/session.ts';

/** Undefined until the list has come. */
export const digests = signal<readonly Digest[] | undefined>(undefined);
export const digestsFailure = signal<ApiFailure | undefined>(undefined);
/** Of all digests, read or not; the list may hold fewer. */
export const digestCount = signal(0);
export const unreadCount = signal(0);

/** As many as the service gives at once. */
const PAGE = 20;

apiKey.subscribe(() => {
  digests.value = undefined;
  digestCount.value = 0;
  unreadCount.value = 0;
});

export async function loadDigests(): Promise<void> {
  try {
    const [page, unread] = await Promise.all([
      ask<DigestsAnswer>(`/v1/tracked-keywords/digests?limit=${PAGE}`),
      ask<DigestsAnswer>('/v1/tracked-keywords/digests?unread_only=true&limit=1'),
    ]);
    digests.value = page.data;
    digestCount.value = page.pagination.total_count;
    unreadCount.value = unread.pagination.total_count;
    digestsFailure.value = undefined;
  } catch (error) {
    digestsFailure.value = asFailure(error);
  }
}

/** Those before the ones that are listed. */
export async function loadOlderDigests(): Promise<void> {
  const known = digests.value ?? [];
  try {
    const offset = known.length;
    const older = await ask<DigestsAnswer>(`/v1/tracked-keywords/digests?limit=${PAGE}&offset=${offset}`);
    const ids = new Set(known.map(({ id }) => id));
    // A new one may have come meanwhile and moved the others.
    digests.value = [...known, ...older.data.filter(({ id }) => !ids.has(id))];
    digestCount.value = older.pagination.total_count;
  } catch (error) {
    digestsFailure.value = asFailure(error);
  }
}
