// Where the key of whoever is signed in is kept: for the tab, or for good when the reader says so.

export const STORAGE_KEY = 'keyrank.key';

export function keptApiKey(): string | null {
  return sessionStorage.getItem(STORAGE_KEY) ?? localStorage.getItem(STORAGE_KEY);
}
