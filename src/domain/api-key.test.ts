import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { apiKeyPrefix, generateApiKey, parseApiKey } from './api-key.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('API keys', () => {
  it('are krk_, 30 random characters and the CRC32 of these in base62', () => {
    for (let i = 0; i < 1000; i += 1) {
      const key = generateApiKey(randomBytes);
      expect(key).toMatch(/^krk_[0-9A-Za-z]{36}$/);
      const sum = [...key.slice(-6)].reduce((value, digit) => value * 62 + ALPHABET.indexOf(digit), 0);
      expect(sum).toBe(crc32(key.slice(4, 34)));
      expect(parseApiKey(key)).toBe(key);
    }
  });

  it('use every character about equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 2000; i += 1) {
      for (const character of generateApiKey(randomBytes).slice(4, 34)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    // 60,000 characters: about 968 of each, standard deviation about 31.
    for (const count of counts.values()) expect(Math.abs(count - 968)).toBeLessThan(6 * 31);
  });

  it('with any one character changed are refused', () => {
    const key = generateApiKey(randomBytes);
    for (let i = 0; i < key.length; i += 1) {
      const other = key[i] === 'x' ? 'y' : 'x';
      expect(parseApiKey(key.slice(0, i) + other + key.slice(i + 1))).toBeUndefined();
    }
  });

  it.each(['', 'krk_', 'krk_short', `krk_${'a'.repeat(37)}`, ` krk_${'a'.repeat(36)}`])('refuse %j', (text) =>
    expect(parseApiKey(text)).toBeUndefined(),
  );

  it('show only their first characters', () => {
    expect(apiKeyPrefix(generateApiKey(randomBytes))).toMatch(/^krk_[0-9A-Za-z]{6}$/);
  });
});
