import { describe, expect, it } from 'vitest';
import { JsonScanner } from './json-scanner.ts';

function scan(text: string, chunkBytes: number) {
  const scanner = new JsonScanner(['rows', 'list']);
  const bytes = Buffer.from(text);
  const elements: unknown[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    elements.push(...scanner.push(bytes.subarray(start, start + chunkBytes)));
  }
  scanner.finish();
  return { elements, key: scanner.arrayKey, values: Object.fromEntries(scanner.values) };
}

const NASTY = {
  before: { nested: ['}', ']', '"', '\\'], number: 1 },
  list: [
    { text: 'plain' },
    { text: 'quote " brace } bracket ] backslash \\', more: { deep: [1, { a: '{' }] } },
    { text: 'ünïcödé 👨‍👩‍👧', escaped: '\u0000\n' },
  ],
  flag: true,
  count: 12.5e-3,
  nothing: null,
  after: 'x',
};

describe('the scanner', () => {
  it('gives the same whatever the size of the chunks, in both notations', () => {
    for (const text of [JSON.stringify(NASTY), JSON.stringify(NASTY, null, 2)]) {
      for (let size = 1; size < 80; size += 1) {
        const { list, ...values } = NASTY;
        expect(scan(text, size), `chunks of ${size}`).toEqual({ elements: list, key: 'list', values });
      }
    }
  });

  it('accepts a byte order mark and an empty list', () => {
    expect(scan('\uFEFF {"list": [ ]} \n', 3)).toEqual({ elements: [], key: 'list', values: {} });
  });

  it('takes the first array that it knows for the list, and keeps another like any value', () => {
    const scanned = scan('{"rows": [{"a": 1}], "list": [{"b": 2}]}', 7);
    expect(scanned).toEqual({ elements: [{ a: 1 }], key: 'rows', values: { list: [{ b: 2 }] } });
  });

  it('refuses every beginning of an object that is not the whole', () => {
    const text = JSON.stringify(NASTY);
    for (let length = 0; length < Buffer.byteLength(text); length += 1) {
      const cut = Buffer.from(text).subarray(0, length).toString('latin1');
      expect(() => scan(Buffer.from(cut, 'latin1').toString(), 16), `cut at ${length}`).toThrow('not whole');
    }
  });

  it.each([
    '{"list": [1]}',
    '{"list": {}}',
    '{"other": []}',
    '{"list": []} x',
    '[{}]',
    '{"list" []}',
    '{"list": [{a}]}',
  ])('refuses %s', (text) => {
    expect(() => scan(text, 5)).toThrow('not whole');
  });
});
