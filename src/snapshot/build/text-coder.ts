// Coding texts by their words. The words of a batch that are worth a number get the next ones, the most frequent first, so that the
// first batch gives short numbers to the words that most texts have; numbers never change afterwards.
import { MAX_CODED_WORDS, putLiteralHead, putWord, WORD_END_BYTE } from '../format/coded-text.ts';
import {
  buildTextIndex,
  findBytes,
  hashBytes,
  indexCells,
  insertEntry,
  partOf,
  type TextIndex,
  textEnd,
  textStart,
} from '../format/text-column.ts';
import { currentText, emptyText, type GrowingText, growNumbers, pushBytes, pushNumber } from './growing.ts';

interface ByteRange {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

interface WordTable {
  readonly texts: GrowingText;
  index: TextIndex;
}

/** What a word in the text takes beside its bytes, its number, and an entry beside its bytes. */
const LITERAL_BYTES = 2;
const NUMBER_BYTES = 2;
const ENTRY_BYTES = 4;
/** Head of a literal or number, at most. */
const MAX_CODE_BYTES = 6;

export class TextCoder {
  readonly #words: WordTable;
  readonly #coded: GrowingText;

  constructor({ words, coded }: { readonly words: GrowingText; readonly coded: GrowingText }) {
    this.#words = { texts: words, index: buildTextIndex(currentText(words), words.ends.count) };
    this.#coded = coded;
  }

  /** Appends texts. */
  push(texts: GrowingText): void {
    this.#learn(texts);
    let room = Buffer.alloc(4096);
    for (let text = 0; text < texts.ends.count; text += 1) {
      const { start, end } = rangeOf(texts, text);
      // A text of n bytes has at most n + 1 words.
      const most = end - start + (end - start + 1) * MAX_CODE_BYTES;
      if (room.length < most) room = Buffer.alloc(2 * most);
      let length = 0;
      visitWords(texts, text, (word) => {
        length += this.#put(room, length, word);
      });
      pushBytes(this.#coded, room, { start: 0, end: length });
    }
  }

  #put(room: Buffer, at: number, range: ByteRange): number {
    const word = find(this.#words, range);
    if (word !== undefined) return putWord(room, { at, word });
    const size = range.end - range.start;
    const head = putLiteralHead(room, { at, size });
    range.bytes.copy(room, at + head, range.start, range.end);
    return head + size;
  }

  /** Numbers the words that several of the texts have. */
  #learn(texts: GrowingText): void {
    const found: WordTable = { texts: emptyText(), index: new Uint32Array(indexCells(0)) };
    const counts = growNumbers(new Uint32Array(0));
    for (let text = 0; text < texts.ends.count; text += 1) {
      visitWords(texts, text, (range) => {
        if (find(this.#words, range) !== undefined) return;
        const known = find(found, range);
        if (known !== undefined) {
          counts.values[known] = (counts.values[known] ?? 0) + 1;
          return;
        }
        add(found, range);
        pushNumber(counts, 1);
      });
    }
    const worthy: number[] = [];
    for (let word = 0; word < counts.count; word += 1) {
      const { start, end } = rangeOf(found.texts, word);
      const count = counts.values[word] ?? 0;
      const saved = count * (end - start + LITERAL_BYTES - NUMBER_BYTES);
      if (count > 1 && saved > end - start + ENTRY_BYTES) worthy.push(word);
    }
    worthy.sort((a, b) => (counts.values[b] ?? 0) - (counts.values[a] ?? 0) || a - b);
    for (const word of worthy) {
      if (this.#words.texts.ends.count >= MAX_CODED_WORDS) return;
      add(this.#words, rangeOf(found.texts, word));
    }
  }
}

function find({ texts, index }: WordTable, range: ByteRange): number | undefined {
  return findBytes(index, currentText(texts), range);
}

function add(table: WordTable, range: ByteRange): void {
  const entry = pushBytes(table.texts, range.bytes, range);
  if (indexCells(entry + 1) > table.index.length) {
    table.index = buildTextIndex(currentText(table.texts), entry + 1);
    return;
  }
  insertEntry(table.index, { hash: hashBytes(range.bytes, range), entry });
}

function rangeOf(texts: GrowingText, text: number): ByteRange {
  const part = partOf(currentText(texts), text);
  return { bytes: part.bytes, start: textStart(part, text), end: textEnd(part, text) };
}

/** An empty text has no words; between two spaces is an empty one. */
function visitWords(texts: GrowingText, text: number, visit: (word: ByteRange) => void): void {
  const { bytes, start, end } = rangeOf(texts, text);
  if (start === end) return;
  for (let first = start; first <= end; ) {
    let last = first;
    while (last < end && bytes[last] !== WORD_END_BYTE) last += 1;
    visit({ bytes, start: first, end: last });
    first = last + 1;
  }
}
