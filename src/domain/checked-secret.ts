// A secret that people may copy by hand: a prefix, 30 random base62 characters and 6 base62 characters of their CRC32. The prefix lets
// secret scanners find leaked ones; the checksum lets us refuse mistyped and invented ones without asking the database.

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;
const REST = new RegExp(`^([0-9A-Za-z]{${RANDOM_CHARACTERS}})([0-9A-Za-z]{${CHECKSUM_CHARACTERS}})$`);

/** Makes a new one from a source of random bytes. */
export function generateSecret(prefix: string, randomBytes: (count: number) => Uint8Array): string {
  let random = '';
  while (random.length < RANDOM_CHARACTERS) {
    for (const byte of randomBytes(RANDOM_CHARACTERS)) {
      // 248 is the largest multiple of 62 in a byte: taking more would favour the first characters.
      if (byte < 248 && random.length < RANDOM_CHARACTERS) random += ALPHABET[byte % 62];
    }
  }
  return prefix + random + checksum(random);
}

/** Whether form and checksum are right. */
export function isSecret(prefix: string, text: string): boolean {
  const match = text.startsWith(prefix) ? REST.exec(text.slice(prefix.length)) : null;
  return match?.[1] !== undefined && match[2] === checksum(match[1]);
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
