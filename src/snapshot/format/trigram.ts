// Trigrams of vocabulary words fall into a fixed number of buckets. Two trigrams may share one: a bucket only proposes words,
// and the exact comparison decides.
import { parseTrigrams } from '../../domain/similarity.ts';
import { TRIGRAM_BUCKETS } from './format.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

const PLAIN_WORD = /^[a-z]+$/;
const SPACE = 32;

/** FNV-1a over the UTF-16 units of the trigram, modulo the number of buckets. */
export function trigramBucket(trigram: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < trigram.length; i += 1) hash = Math.imul(hash ^ trigram.charCodeAt(i), FNV_PRIME);
  return (hash >>> 0) % TRIGRAM_BUCKETS;
}

/** The distinct buckets of a word. */
export function listTrigramBuckets(word: string): readonly number[] {
  const buckets: number[] = [];
  const add = (bucket: number): void => {
    if (!buckets.includes(bucket)) buckets.push(bucket);
  };
  if (!PLAIN_WORD.test(word)) {
    for (const trigram of parseTrigrams(word)) add(trigramBucket(trigram));
    return buckets;
  }
  // The same without taking the word apart, since a build does it for the whole vocabulary.
  let first = SPACE;
  let second = SPACE;
  for (let i = 0; i <= word.length; i += 1) {
    const third = i === word.length ? SPACE : word.charCodeAt(i);
    let hash = Math.imul(FNV_OFFSET ^ first, FNV_PRIME);
    hash = Math.imul(hash ^ second, FNV_PRIME);
    hash = Math.imul(hash ^ third, FNV_PRIME);
    add((hash >>> 0) % TRIGRAM_BUCKETS);
    first = second;
    second = third;
  }
  return buckets;
}
