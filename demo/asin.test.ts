import { describe, expect, it } from 'vitest';
import { putAsin, putIsbn } from './asin.ts';
import { createByteSink } from './byte-sink.ts';
import { createSalt } from './hash.ts';

const salt = createSalt({ seed: 1, purpose: 'test' });

function made(put: typeof putAsin, product: number): string {
  const sink = createByteSink(16);
  put(sink, salt, product);
  return Buffer.from(sink.bytes.subarray(0, sink.length)).toString();
}

describe('ASINs', () => {
  it('differ for different products and look like real ones', () => {
    const products = [...Array.from({ length: 20_000 }, (_, index) => index), 0xffff_ffff, 0x8000_0000];
    const asins = new Set(products.map((product) => made(putAsin, product)));
    expect(asins.size).toBe(products.length);
    for (const asin of asins) expect(asin).toMatch(/^B0[789BCDFG][0-9A-Z]{7}$/);
  });
});

describe('ISBNs', () => {
  it('have a check digit that is right', () => {
    let tens = 0;
    for (let product = 0; product < 500; product += 1) {
      const isbn = made(putIsbn, product);
      expect(isbn).toMatch(/^[01][0-9]{8}[0-9X]$/);
      const digits = Array.from(isbn, (digit) => (digit === 'X' ? 10 : Number(digit)));
      if (digits[9] === 10) tens += 1;
      expect(digits.reduce((sum, digit, place) => sum + digit * (10 - place), 0) % 11).toBe(0);
    }
    expect(tens).toBeGreaterThan(10);
  });
});
