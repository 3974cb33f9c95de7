import { expect, it } from 'vitest';
import { intersect, keepMarked } from './document-list.ts';
import { findWordBits, listPositions } from './word-bits.ts';

const DOCUMENT_COUNT = 6400;

/** Every n-th document. */
function everyNth(n: number, end = DOCUMENT_COUNT): Uint32Array {
  return Uint32Array.from({ length: Math.ceil(end / n) }, (_, i) => i * n);
}

it('keeps what an intersection with the list of the word keeps', () => {
  const view = { documentCount: DOCUMENT_COUNT };
  const word = { documents: everyNth(3), postingStart: 100 };
  for (const tested of [everyNth(2), everyNth(7), Uint32Array.of(0, 5, 6399), new Uint32Array(0)]) {
    const wordBits = findWordBits(view, word, tested);
    expect(wordBits && keepMarked(tested, wordBits.bits)).toEqual(intersect(tested, word.documents));
  }
});

it('counts where a document stands in the list of the word', () => {
  // Runs, gaps and the last bit of a word of 32.
  const documents = Uint32Array.from([...everyNth(1, 100), ...everyNth(31).filter((document) => document > 100)]);
  const wordBits = findWordBits({ documentCount: DOCUMENT_COUNT }, { documents, postingStart: 0 }, documents);
  expect(wordBits && Array.from(listPositions(wordBits, documents))).toEqual([...documents.keys()]);
});

it('makes none for a rare word, for a list beside which the word is long, and for replacements of a typo', () => {
  const view = { documentCount: DOCUMENT_COUNT };
  expect(findWordBits(view, { documents: everyNth(65), postingStart: 0 }, everyNth(2))).toBeUndefined();
  expect(findWordBits(view, { documents: everyNth(3), postingStart: 0 }, everyNth(100))).toBeUndefined();
  expect(findWordBits(view, { documents: everyNth(3), postingStart: undefined }, everyNth(2))).toBeUndefined();
});

it('serves a plan that sees fewer documents with what it has, and one that sees more with new ones', () => {
  const view = { documentCount: DOCUMENT_COUNT };
  const fewer = { documents: everyNth(3, 3200), postingStart: 0 };
  const all = { documents: everyNth(3), postingStart: 0 };
  const ofFewer = findWordBits(view, fewer, everyNth(2));
  const ofAll = findWordBits(view, all, everyNth(2));
  expect(ofAll).not.toBe(ofFewer);
  expect(ofAll && keepMarked(everyNth(2), ofAll.bits)).toEqual(everyNth(6));
  expect(findWordBits(view, fewer, everyNth(2))).toBe(ofAll);
});

it('forgets the word that was not used for longest', () => {
  const view = { documentCount: DOCUMENT_COUNT };
  const bitsOf = (postingStart: number) => findWordBits(view, { documents: everyNth(3), postingStart }, everyNth(2));
  const first = bitsOf(0);
  const second = bitsOf(1);
  for (let word = 2; word < 16; word += 1) bitsOf(word);
  expect(bitsOf(0)).toBe(first);
  bitsOf(16);
  expect(bitsOf(0)).toBe(first);
  expect(bitsOf(1)).not.toBe(second);
});
