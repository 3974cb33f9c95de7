// Product numbers as ASINs. The number goes through a small Feistel network, which is a bijection: different products never
// share an ASIN, and neighbours look unrelated.

import { BYTE, type ByteSink, putByte } from './byte-sink.ts';
import { hashWith, type Salt } from './hash.ts';

/** Two halves below this make a number below 8 × 36^7: "B0", one of eight characters, seven of 36. */
const HALF = 784_000;
const ROUNDS = 4;
const HIGH_UNIT = 36 ** 4;
const DIGITS = Uint8Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', (digit) => digit.charCodeAt(0));
const GENERATIONS = Uint8Array.from('789BCDFG', (digit) => digit.charCodeAt(0));

export function putAsin(sink: ByteSink, salt: Salt, product: number): void {
  const code = shuffle(salt, product);
  const high = Math.floor(code / HIGH_UNIT);
  const low = code - high * HIGH_UNIT;
  putByte(sink, 0x42);
  putByte(sink, BYTE.zero);
  putByte(sink, GENERATIONS[Math.floor(high / 46_656)] ?? 0);
  putDigits(sink, { value: high % 46_656, count: 3 });
  putDigits(sink, { value: low, count: 4 });
}

/** An ISBN-10: nine digits and a check digit that may be X. */
export function putIsbn(sink: ByteSink, salt: Salt, product: number): void {
  // Books of American publishers begin with 0 or 1.
  let rest = shuffle(salt, product) % 200_000_000;
  let sum = 0;
  for (let place = 8; place >= 0; place -= 1) {
    const digit = rest % 10;
    rest = Math.floor(rest / 10);
    sink.bytes[sink.length + place] = BYTE.zero + digit;
    sum += digit * (10 - place);
  }
  sink.length += 9;
  const check = (11 - (sum % 11)) % 11;
  putByte(sink, check === 10 ? 0x58 : BYTE.zero + check);
}

function shuffle(salt: Salt, product: number): number {
  let left = Math.floor(product / HALF);
  let right = product - left * HALF;
  for (let round = 0; round < ROUNDS; round += 1) {
    const mixed = (left + ((hashWith(salt, right + Math.imul(round, 0x3c6ef372)) >>> 4) % HALF)) % HALF;
    left = right;
    right = mixed;
  }
  return left * HALF + right;
}

function putDigits(sink: ByteSink, { value, count }: { readonly value: number; readonly count: number }): void {
  let rest = value;
  for (let at = sink.length + count - 1; at >= sink.length; at -= 1) {
    const next = Math.floor(rest / 36);
    sink.bytes[at] = DIGITS[rest - next * 36] ?? 0;
    rest = next;
  }
  sink.length += count;
}
