// Every draw of the generator is a hash of what it is about (a term, a product, a period) and a salt for its purpose. So
// no draw depends on how many were made before it, and one period can be written without the others.

export type Salt = number & { readonly __brand: 'Salt' };

const TWO_TO_32 = 4_294_967_296;

/** The finaliser of MurmurHash3: a bijection of 32-bit integers that spreads every input bit. */
export function mix32(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mix32(hash);
}

export function createSalt({ seed, purpose }: { readonly seed: number; readonly purpose: string }): Salt {
  return mix32(hashText(purpose) ^ Math.imul(seed | 0, 0x9e3779b1)) as Salt;
}

export function hashWith(salt: Salt, value: number): number {
  return mix32(salt ^ Math.imul(value, 0x9e3779b1));
}

/** A hash as a number from 0 up to but not including 1. */
export function unitOf(hash: number): number {
  return (hash >>> 0) / TWO_TO_32;
}
