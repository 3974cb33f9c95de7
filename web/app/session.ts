// Who is signed in: a person with a session, in a cookie that no script reads, or an API key that never leaves this browser but in the
// Authorization header. A key is kept for the tab, or for good when the reader says so, and comes before a session.
import { signal } from '@preact/signals';
import { keptApiKey, STORAGE_KEY } from './kept-key.ts';

const KEY_SHAPE = /^krk_[0-9A-Za-z]{36}$/;

/** In place of a key while the session of a person counts. Another one after each sign-in, so that nothing of the last is kept. */
const SESSION = 'session';
/** On the device: that there was a session when it was last asked for. */
const SESSION_STORAGE_KEY = 'keyrank.session';

export const apiKey = signal<string | null>(null);
/** Why the last key was sent away. */
export const signedOutBecause = signal<string | null>(null);

export function openSession(): void {
  apiKey.value = keptApiKey() ?? keptSession();
}

function keptSession(): string | null {
  return localStorage.getItem(SESSION_STORAGE_KEY);
}

/** Whether it stands for the session in the cookie. */
export function isSession(key: string | null): boolean {
  return key?.startsWith(SESSION) ?? false;
}

/** After a sign-in, or a switch to another organization. */
export function enterSession(): void {
  forgetKeys();
  const session = `${SESSION} ${Date.now()}`;
  localStorage.setItem(SESSION_STORAGE_KEY, session);
  signedOutBecause.value = null;
  apiKey.value = session;
}

/** The service was told already. */
export function leaveSession(because: string | null = null): void {
  localStorage.removeItem(SESSION_STORAGE_KEY);
  signedOutBecause.value = because;
  apiKey.value = keptApiKey();
}

function forgetKeys(): void {
  localStorage.removeItem(STORAGE_KEY);
  sessionStorage.removeItem(STORAGE_KEY);
}

export function isKeyShaped(text: string): boolean {
  return KEY_SHAPE.test(text);
}

/** For this tab, whatever the device remembers for others; or on the device, for all of them. */
export function signIn(key: string, { isKept }: { readonly isKept: boolean }): void {
  if (isKept) {
    localStorage.setItem(STORAGE_KEY, key);
    sessionStorage.removeItem(STORAGE_KEY);
  } else {
    sessionStorage.setItem(STORAGE_KEY, key);
  }
  signedOutBecause.value = null;
  apiKey.value = key;
}

export function isKeptOnDevice(key: string): boolean {
  return localStorage.getItem(STORAGE_KEY) === key;
}

export function signOut(): void {
  forgetKeys();
  signedOutBecause.value = null;
  apiKey.value = keptSession();
}

/** A key that the service refuses is forgotten; one for this tab alone leaves the one that the device remembers. */
export function dropKey(key: string, because: string): void {
  for (const storage of [sessionStorage, localStorage]) {
    if (storage.getItem(STORAGE_KEY) === key) storage.removeItem(STORAGE_KEY);
  }
  // Another key may have come meanwhile.
  if (apiKey.value !== key) return;
  if (isSession(key)) localStorage.removeItem(SESSION_STORAGE_KEY);
  signedOutBecause.value = because;
  apiKey.value = keptApiKey() ?? keptSession();
}
