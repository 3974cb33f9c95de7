// The words of new terms: each spelling gets a word slot, each stem a stem slot, and each term its sequence of words.
import { countWords, parseWords, stemWord } from '../../domain/words.ts';
import { MAX_TRIGRAM_COUNT, MAX_WORD_FORM } from '../format/format.ts';
import { openTrigramCounter } from '../format/term-trigrams.ts';
import { buildTextIndex, findEntry, readText, type TextIndex } from '../format/text-column.ts';
import type { BuildState } from './build-state.ts';
import { currentText, type GrowingText, pushNumber, pushText } from './growing.ts';

const MAX_WORD_COUNT = 255;

/** Texts that may be known from earlier generations, with what this build added. */
interface Register {
  readonly texts: GrowingText;
  readonly savedIndex: TextIndex;
  readonly seen: Map<string, number>;
}

export function addSlotWords(state: BuildState): void {
  const words = openRegister(state.words);
  const stems = openRegister(state.stems);
  const formCounts = countForms(state);
  const terms = currentText(state.terms);
  const trigrams = openTrigramCounter();
  for (let slot = state.slotWordCounts.count; slot < state.terms.ends.count; slot += 1) {
    const added = slot - state.terms.ends.first;
    const term = readText(terms, added);
    for (const word of parseWords(term)) {
      let entry = findRegistered(words, word);
      if (entry === undefined) {
        entry = register(words, word);
        const stemText = stemWord(word);
        const stem = findRegistered(stems, stemText) ?? register(stems, stemText);
        const form = formCounts[stem] ?? 0;
        formCounts[stem] = form + 1;
        pushNumber(state.wordStems, stem);
        pushNumber(state.wordForms, Math.min(form, MAX_WORD_FORM));
      }
      pushNumber(state.slotWords, entry);
    }
    pushNumber(state.slotWordEnds, state.slotWords.count);
    pushNumber(state.slotWordCounts, Math.min(MAX_WORD_COUNT, countWords(term)));
    pushNumber(state.slotTrigramCounts, Math.min(MAX_TRIGRAM_COUNT, trigrams.count(terms, added)));
  }
}

function openRegister(texts: GrowingText): Register {
  return { texts, savedIndex: buildTextIndex(currentText(texts), texts.ends.count), seen: new Map() };
}

function findRegistered({ texts, savedIndex, seen }: Register, text: string): number | undefined {
  const entry = seen.get(text) ?? findEntry(savedIndex, currentText(texts), text);
  if (entry !== undefined) seen.set(text, entry);
  return entry;
}

function register({ texts, seen }: Register, text: string): number {
  const entry = pushText(texts, text);
  seen.set(text, entry);
  return entry;
}

function countForms(state: BuildState): number[] {
  const counts: number[] = new Array(state.stems.ends.count).fill(0);
  for (let word = 0; word < state.wordStems.count; word += 1) {
    const stem = state.wordStems.values[word] ?? 0;
    counts[stem] = (counts[stem] ?? 0) + 1;
  }
  return counts;
}
