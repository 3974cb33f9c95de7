// Ranking a period means sorting ten million scores at the largest size. A radix sort on the bits of the scores does it in
// well under a second, in buffers that are kept from period to period.

const DIGIT_BITS = 11;
const BUCKETS = 1 << DIGIT_BITS;
const PASSES = 3;

export interface Sorter {
  /** Numbers of the items by falling score; equal scores keep their order. Valid until the next call. */
  order(scores: Float32Array): Uint32Array;
}

export function createSorter(capacity: number): Sorter {
  const buffers = {
    keys: new Uint32Array(capacity),
    items: new Uint32Array(capacity),
    otherKeys: new Uint32Array(capacity),
    otherItems: new Uint32Array(capacity),
  };
  return {
    order(scores) {
      const count = scores.length;
      const bits = new Uint32Array(scores.buffer, scores.byteOffset, count);
      let { keys, items, otherKeys, otherItems } = buffers;
      for (let item = 0; item < count; item += 1) {
        keys[item] = fallingKey(bits[item] ?? 0);
        items[item] = item;
      }
      for (let pass = 0; pass < PASSES; pass += 1) {
        scatter({ keys, items, otherKeys, otherItems, count, shift: pass * DIGIT_BITS });
        [keys, otherKeys] = [otherKeys, keys];
        [items, otherItems] = [otherItems, items];
      }
      return items.subarray(0, count);
    },
  };
}

/** Maps the bits of a float to an integer that grows as the float falls. */
function fallingKey(bits: number): number {
  return (bits & 0x8000_0000) !== 0 ? bits : ~bits & 0x7fff_ffff;
}

function scatter(pass: {
  readonly keys: Uint32Array;
  readonly items: Uint32Array;
  readonly otherKeys: Uint32Array;
  readonly otherItems: Uint32Array;
  readonly count: number;
  readonly shift: number;
}): void {
  const { keys, items, otherKeys, otherItems, count, shift } = pass;
  const next = new Uint32Array(BUCKETS + 1);
  for (let at = 0; at < count; at += 1) {
    const bucket = (((keys[at] ?? 0) >>> shift) & (BUCKETS - 1)) + 1;
    next[bucket] = (next[bucket] ?? 0) + 1;
  }
  for (let bucket = 1; bucket <= BUCKETS; bucket += 1) next[bucket] = (next[bucket] ?? 0) + (next[bucket - 1] ?? 0);
  for (let at = 0; at < count; at += 1) {
    const key = keys[at] ?? 0;
    const bucket = (key >>> shift) & (BUCKETS - 1);
    const to = next[bucket] ?? 0;
    next[bucket] = to + 1;
    otherKeys[to] = key;
    otherItems[to] = items[at] ?? 0;
  }
}
