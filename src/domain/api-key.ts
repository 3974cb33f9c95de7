import { generateSecret, isSecret } from './checked-secret.ts';

const PREFIX = 'krk_';
const SHOWN_CHARACTERS = 10;

export type ApiKeyText = string & { readonly __brand: 'ApiKeyText' };

/** Makes a new key from a source of random bytes. */
export function generateApiKey(randomBytes: (count: number) => Uint8Array): ApiKeyText {
  return generateSecret(PREFIX, randomBytes) as ApiKeyText;
}

/** The key if its form and checksum are right. */
export function parseApiKey(text: string): ApiKeyText | undefined {
  return isSecret(PREFIX, text) ? (text as ApiKeyText) : undefined;
}

/** The part of a key that may be shown again, so that people can tell their keys apart. */
export function apiKeyPrefix(key: ApiKeyText): string {
  return key.slice(0, SHOWN_CHARACTERS);
}
