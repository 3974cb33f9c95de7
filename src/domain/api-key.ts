// An API key is "krk_", 30 random base62 characters and 6 base62 characters of their CRC32. The prefix lets secret
// scanners find leaked keys; the checksum lets us refuse mistyped and invented ones without asking the database.

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'krk_';
const RANDOM_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;
const SHOWN_CHARACTERS = 10;
const KEY_PATTERN = new RegExp(`^${PREFIX}([0-9A-Za-z]{${RANDOM_CHARACTERS}})([0-9A-Za-z]{${CHECKSUM_CHARACTERS}})$`);

export type ApiKeyText = string & { readonly __brand: 'ApiKeyText' };

/** Makes a new key from a source of random bytes. */
export function generateApiKey(randomBytes: (count: number) => Uint8Array): ApiKeyText {
  let random = '';
  while (random.length < RANDOM_CHARACTERS) {
    for (const byte of randomBytes(RANDOM_CHARACTERS)) {
      // 248 is the largest multiple of 62 in a byte: taking more would favour the first characters.
      if (byte < 248 && random.length < RANDOM_CHARACTERS) random += ALPHABET[byte % 62];
    }
  }
  return (PREFIX + random + checksum(random)) as ApiKeyText;
}

/** The key if its form and checksum are right. */
export function parseApiKey(text: string): ApiKeyText | undefined {
  const match = KEY_PATTERN.exec(text);
  return match?.[1] !== undefined && match[2] === checksum(match[1]) ? (text as ApiKeyText) : undefined;
}

/** The part of a key that may be shown again, so that people can tell their keys apart. */
export function apiKeyPrefix(key: ApiKeyText): string {
  return key.slice(0, SHOWN_CHARACTERS);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i += 1) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function crc32(ascii: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < ascii.length; i += 1) {
    crc ^= ascii.charCodeAt(i);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
