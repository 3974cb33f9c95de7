// Who is signed in: an API key that never leaves this browser but in the Authorization header. It is kept for the tab, or
// for good when the reader says so.
import { signal } from '@preact/signals';
import { keptApiKey, STORAGE_KEY } from './kept-key.ts';

const KEY_SHAPE = /^krk_[0-9A-Za-z]{36}$/;

/** The token of a share stands in the address, and opens this page alone: it is never kept. */
const SHARE_ADDRESS = /^\/s\/(krs_[0-9A-Za-z]{36})$/;

export const apiKey = signal<string | null>(null);
/** Why the last key was sent away. */
export const signedOutBecause = signal<string | null>(null);

export function openSession(): void {
  apiKey.value = isShared() ? sharedToken() : keptApiKey();
}

/** Whether the page shows what a link shares, whoever reads it. */
export function isShared(): boolean {
  return window.location.pathname.startsWith('/s/');
}

function sharedToken(): string | null {
  return SHARE_ADDRESS.exec(window.location.pathname)?.[1] ?? null;
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
  localStorage.removeItem(STORAGE_KEY);
  sessionStorage.removeItem(STORAGE_KEY);
  signedOutBecause.value = null;
  apiKey.value = null;
}

/** A key that the service refuses is forgotten; one for this tab alone leaves the one that the device remembers. */
export function dropKey(key: string, because: string): void {
  for (const storage of [sessionStorage, localStorage]) {
    if (storage.getItem(STORAGE_KEY) === key) storage.removeItem(STORAGE_KEY);
  }
  // Another key may have come meanwhile.
  if (apiKey.value !== key) return;
  signedOutBecause.value = because;
  apiKey.value = isShared() ? null : keptApiKey();
}
