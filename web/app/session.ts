// Who is signed in: an API key that never leaves this browser but in the Authorization header. It is kept for the tab, or
// for good when the reader says so.
import { signal } from '@preact/signals';
import { keptApiKey, STORAGE_KEY } from './kept-key.ts';

const KEY_SHAPE = /^krk_[0-9A-Za-z]{36}$/;

export const apiKey = signal<string | null>(null);
/** Why the last key was sent away. */
export const signedOutBecause = signal<string | null>(null);

/** Takes the key from a sign-in link (`#key=…`, which no server ever sees) or from where it was kept. */
export function openSession(): void {
  const given = new URLSearchParams(window.location.hash.slice(1)).get('key');
  if (given !== null) {
    history.replaceState(null, '', window.location.pathname + window.location.search);
    if (KEY_SHAPE.test(given)) {
      signIn(given, { isKept: true });
      return;
    }
  }
  apiKey.value = keptApiKey();
}

/** A sign-in link that is opened where the page already is changes nothing but the part behind #. */
export function watchSignInLinks(): void {
  window.addEventListener('hashchange', () => {
    if (window.location.hash.startsWith('#key=')) openSession();
  });
}

export function isKeyShaped(text: string): boolean {
  return KEY_SHAPE.test(text);
}

export function signIn(key: string, { isKept }: { readonly isKept: boolean }): void {
  const [storage, other] = isKept ? [localStorage, sessionStorage] : [sessionStorage, localStorage];
  storage.setItem(STORAGE_KEY, key);
  other.removeItem(STORAGE_KEY);
  signedOutBecause.value = null;
  apiKey.value = key;
}

export function signOut(because: string | null = null): void {
  localStorage.removeItem(STORAGE_KEY);
  sessionStorage.removeItem(STORAGE_KEY);
  signedOutBecause.value = because;
  apiKey.value = null;
}
