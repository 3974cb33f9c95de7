import { expect, test } from 'vitest';
import { listSlowSpans } from './processor-speed.ts';

const samples = (pieces: readonly number[]) => pieces.map((pieceMs, i) => ({ atMs: 2 * i, pieceMs, stolen: 7 }));

test('the processor is slow where two samples in a row are, and moments close together are one', () => {
  const pieces = Array.from({ length: 200 }, () => 1);
  pieces[10] = 12;
  for (const i of [50, 51, 52, 60, 61, 120, 121]) pieces[i] = 3;
  expect(listSlowSpans(samples(pieces))).toEqual([
    { fromMs: 100, toMs: 122 },
    { fromMs: 240, toMs: 242 },
  ]);
});

test('a processor that varies by a few percent is not slow', () => {
  const pieces = Array.from({ length: 200 }, (_, i) => 1 + (i % 10) / 100);
  expect(listSlowSpans(samples(pieces))).toEqual([]);
  expect(listSlowSpans([])).toEqual([]);
});

test('a processor that was given to others was slow', () => {
  const quiet = samples(Array.from({ length: 200 }, () => 1));
  const taken = quiet.map((sample, i) => (i < 100 ? sample : { ...sample, stolen: 8 }));
  expect(listSlowSpans(taken)).toEqual([{ fromMs: 198, toMs: 200 }]);
});
