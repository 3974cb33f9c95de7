import { computed, signal } from '@preact/signals';
import { type ApiFailure, ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { Digest, DigestsAnswer } from '../api/wire.ts';
import { apiKey } from '../app/session.ts';

/** Undefined until the list has come. */
export const digests = signal<readonly Digest[] | undefined>(undefined);
export const digestsFailure = signal<ApiFailure | undefined>(undefined);
export const unreadCount = computed(() => (digests.value ?? []).filter((each) => !each.is_read).length);

apiKey.subscribe(() => {
  digests.value = undefined;
});

export async function loadDigests(): Promise<void> {
  try {
    digests.value = (await ask<DigestsAnswer>('/v1/tracked-keywords/digests?limit=20')).data;
    digestsFailure.value = undefined;
  } catch (error) {
    digestsFailure.value = asFailure(error);
  }
}
