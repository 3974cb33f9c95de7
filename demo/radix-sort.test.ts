import { describe, expect, it } from 'vitest';
import { mix32, unitOf } from './hash.ts';
import { createSorter } from './radix-sort.ts';

describe('the sorter', () => {
  it('orders scores of both signs from high to low, as a plain sort does', () => {
    const scores = Float32Array.from({ length: 5000 }, (_, index) => 40 * unitOf(mix32(index)) - 20);
    const plain = Array.from(scores.keys()).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
    expect([...createSorter(5000).order(scores)]).toEqual(plain);
  });

  it('keeps the order of equal scores', () => {
    expect([...createSorter(4).order(Float32Array.of(1, 2, 1, 2))]).toEqual([1, 3, 0, 2]);
  });

  it('sorts fewer scores than it has room for', () => {
    const sorter = createSorter(8);
    sorter.order(Float32Array.of(5, 6, 7, 8, 9));
    expect([...sorter.order(Float32Array.of(-1, 0.5))]).toEqual([1, 0]);
  });
});
