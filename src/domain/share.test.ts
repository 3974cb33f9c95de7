import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateApiKey, parseApiKey } from './api-key.ts';
import { canonicalTarget, generateShareToken, parseShareToken, searchesForShares } from './share.ts';

describe('share tokens', () => {
  it('are no API keys, and API keys no share tokens', () => {
    const token = generateShareToken(randomBytes);
    expect(token).toMatch(/^krs_[0-9A-Za-z]{36}$/);
    expect(parseShareToken(token)).toBe(token);
    expect(parseApiKey(token)).toBeUndefined();
    expect(parseShareToken(generateApiKey(randomBytes))).toBeUndefined();
    expect(parseShareToken(`krk_${token.slice(4)}`)).toBeUndefined();
  });
});

describe('canonical targets', () => {
  it('are one for requests that mean the same, and differ by every parameter, value and order of values', () => {
    const target = (...pairs: [string, string[]][]) => canonicalTarget('/v1/x', new Map(pairs));
    expect(target(['b', ['2']], ['a', ['é', '&=']])).toBe('/v1/x?a=%C3%A9&a=%26%3D&b=2');
    expect(target(['a', ['é', '&=']], ['b', ['2']])).toBe(target(['b', ['2']], ['a', ['é', '&=']]));
    expect(target()).toBe('/v1/x');
    const all = [
      target(['a', ['1']]),
      target(['a', ['1', '2']]),
      target(['a', ['2', '1']]),
      target(['a', ['1&a=2']]),
      target(['a', ['1']], ['b', ['']]),
      target(['a=1', ['']]),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('what shares may take of the searches of an hour', () => {
  it('is half of them, and one at least', () => {
    expect([1, 100, 501].map(searchesForShares)).toEqual([1, 50, 250]);
  });
});
