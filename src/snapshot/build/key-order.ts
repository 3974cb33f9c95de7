// Sorting numbers by keys of 32 bits without comparisons.

const DIGIT_BITS = 16;
const DIGITS = 2 ** DIGIT_BITS;

/** Numbers by ascending keys of 32 bits, one digit after the other from the low one up; equal keys keep their order. */
export function sortByKey(numbers: Uint32Array, keys: Uint32Array): Uint32Array {
  return sortPairs({ numbers, keys }).numbers;
}

export function sortPairs(pairs: KeyedNumbers): KeyedNumbers {
  return sortByDigit(sortByDigit(pairs, 0), DIGIT_BITS);
}

interface KeyedNumbers {
  readonly numbers: Uint32Array;
  readonly keys: Uint32Array;
}

function sortByDigit({ numbers, keys }: KeyedNumbers, shift: number): KeyedNumbers {
  const starts = new Uint32Array(DIGITS + 1);
  for (let i = 0; i < keys.length; i += 1) {
    const digit = ((keys[i] ?? 0) >>> shift) & (DIGITS - 1);
    starts[digit + 1] = (starts[digit + 1] ?? 0) + 1;
  }
  for (let digit = 1; digit <= DIGITS; digit += 1) starts[digit] = (starts[digit] ?? 0) + (starts[digit - 1] ?? 0);
  const sorted = { numbers: new Uint32Array(keys.length), keys: new Uint32Array(keys.length) };
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] ?? 0;
    const digit = (key >>> shift) & (DIGITS - 1);
    const at = starts[digit] ?? 0;
    starts[digit] = at + 1;
    sorted.keys[at] = key;
    sorted.numbers[at] = numbers[i] ?? 0;
  }
  return sorted;
}
