// Sign-in links: the part behind # of an address (`#key=…`), which no server ever sees. Anyone can make one, so a link never
// takes the place of a key without asking, and its key stays in the tab unless the reader says otherwise.
import { signal } from '@preact/signals';
import { ApiFailure, ask } from '../api/client.ts';
import type { UsageAnswer } from '../api/wire.ts';
import { showToast } from '../parts/toast.tsx';
import { apiKey, dropKey, isKeyShaped, isShared, signedOutBecause, signIn } from './session.ts';

export interface KeyOwner {
  /** In words: a member and an organization, or why they cannot be named. */
  readonly words: string;
  readonly isRefused: boolean;
}

/** The key of a link beside the one that is in use, once it is known whose they are. */
export interface KeyOffer {
  readonly key: string;
  readonly presentKey: string;
  readonly owners: { readonly offered: KeyOwner; readonly present: KeyOwner } | null;
}

export const keyOffer = signal<KeyOffer | null>(null);

/** Takes the key out of the address and the history of the tab at once, then sees to it. */
export function followSignInLink(): void {
  const key = new URLSearchParams(window.location.hash.slice(1)).get('key');
  if (key === null || isShared()) return;
  history.replaceState(null, '', window.location.pathname + window.location.search);
  const presentKey = apiKey.value;
  if (key === presentKey) return;
  if (!isKeyShaped(key)) {
    refuse('The link holds no key: one has the form krk_ and 36 letters and digits.');
  } else if (presentKey === null) {
    signIn(key, { isKept: false });
    void greet(key);
  } else {
    keyOffer.value = { key, presentKey, owners: null };
    void compareOwners(key, presentKey);
  }
}

/** A link that is opened where the page already is changes nothing but the part behind #. */
export function watchSignInLinks(): void {
  window.addEventListener('hashchange', followSignInLink);
}

export function acceptKey({ key }: KeyOffer, { isKept }: { readonly isKept: boolean }): void {
  keyOffer.value = null;
  signIn(key, { isKept });
}

export function declineKey(): void {
  keyOffer.value = null;
}

async function compareOwners(key: string, presentKey: string): Promise<void> {
  const [offered, present] = await Promise.all([findOwner(key), findOwner(presentKey)]);
  // A later link has the word.
  if (keyOffer.value?.key !== key) return;
  if (offered.isRefused) {
    declineKey();
    refuse('The key of the link is not valid.');
  } else if (present.isRefused) {
    declineKey();
    dropKey(presentKey, present.words);
    signIn(key, { isKept: false });
  } else {
    keyOffer.value = { key, presentKey, owners: { offered, present } };
  }
}

async function greet(key: string): Promise<void> {
  const { words, isRefused } = await findOwner(key);
  if (!isRefused && apiKey.value === key) showToast(`Signed in by the link, in this tab only: ${words}`);
}

function refuse(because: string): void {
  if (apiKey.value === null) signedOutBecause.value = because;
  else showToast(`${because} You are still signed in with your own.`, { isFailure: true });
}

async function findOwner(key: string): Promise<KeyOwner> {
  try {
    const { data } = await ask<UsageAnswer>('/v1/usage', { key });
    return { words: `${data.user} of ${data.organization}`, isRefused: false };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    return { words: `unknown. ${error.message}`, isRefused: error.status === 401 };
  }
}
