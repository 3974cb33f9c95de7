// The Snowball English stemmer (Porter2), https://snowballstem.org/algorithms/english/stemmer.html, as PostgreSQL's
// english_stem applies it. Written by hand because the kept packages implement the older Porter algorithm, and a search
// that stems otherwise than PostgreSQL would surprise everyone who compares the two. The parity table is in stemmer.test.ts.

const STEM_BY_EXCEPTION: ReadonlyMap<string, string> = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ['sky', 'sky'],
  ['news', 'news'],
  ['howe', 'howe'],
  ['atlas', 'atlas'],
  ['cosmos', 'cosmos'],
  ['bias', 'bias'],
  ['andes', 'andes'],
]);
const STOP_AFTER_STEP_1A = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
]);

const PLAIN_WORD = /^[a-z]{3,}$/;
const SPECIAL_R1 = /^(?:gener|commun|arsen)/;
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const VOWEL = /[aeiouy]/;
const SHORT_SYLLABLE = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/;

const STEP_2: readonly (readonly [string, string])[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
];
const STEP_3: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const STEP_4 = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|(?<=[st])ion|al|er|ic)$/;

/** Words of other letters than a–z, and words of one or two letters, are returned as they are. */
export function stemEnglish(word: string): string {
  if (!PLAIN_WORD.test(word)) return word;
  const exception = STEM_BY_EXCEPTION.get(word);
  if (exception !== undefined) return exception;
  // A y that is a consonant is written Y, so that it is not taken for a vowel.
  const marked = word.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y');
  const r1 = SPECIAL_R1.exec(marked)?.[0].length ?? regionAfter(marked, 0);
  const r2 = regionAfter(marked, r1);
  const singular = step1a(marked);
  if (STOP_AFTER_STEP_1A.has(singular)) return singular;
  const stem = step5(step4(step3(step2(step1c(step1b(singular, r1)), r1), { r1, r2 }), r2), { r1, r2 });
  return stem.replaceAll('Y', 'y');
}

/** The index behind the first consonant that follows a vowel, searching from a position. */
function regionAfter(word: string, from: number): number {
  for (let i = from + 1; i < word.length; i += 1) {
    if (VOWEL.test(word.charAt(i - 1)) && !VOWEL.test(word.charAt(i))) return i + 1;
  }
  return word.length;
}

function step1a(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/ie[ds]$/.test(word)) return word.length > 4 ? word.slice(0, -2) : word.slice(0, -1);
  if (/(?:us|ss)$/.test(word)) return word;
  if (word.endsWith('s') && VOWEL.test(word.slice(0, -2))) return word.slice(0, -1);
  return word;
}

function step1b(word: string, r1: number): string {
  const eed = /eed(?:ly)?$/.exec(word);
  if (eed) return eed.index >= r1 ? `${word.slice(0, eed.index)}ee` : word;
  const ending = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (!ending || !VOWEL.test(word.slice(0, ending.index))) return word;
  const stem = word.slice(0, ending.index);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  // "adding" is "add", not "ad".
  if (DOUBLE.test(stem)) return /^[aeo]..$/.test(stem) ? stem : stem.slice(0, -1);
  return r1 >= stem.length && SHORT_SYLLABLE.test(stem) ? `${stem}e` : stem;
}

function step1c(word: string): string {
  return word.length > 2 && /[^aeiouy][yY]$/.test(word) ? `${word.slice(0, -1)}i` : word;
}

function step2(word: string, r1: number): string {
  const found = STEP_2.find(([suffix]) => word.endsWith(suffix));
  if (!found) return word;
  const [suffix, replacement] = found;
  const stem = word.slice(0, -suffix.length);
  if (stem.length < r1) return word;
  if (suffix === 'ogi' && !stem.endsWith('l')) return word;
  if (suffix === 'li' && !/[cdeghkmnrt]$/.test(stem)) return word;
  return stem + replacement;
}

function step3(word: string, { r1, r2 }: { readonly r1: number; readonly r2: number }): string {
  const found = STEP_3.find(([suffix]) => word.endsWith(suffix));
  if (!found) return word;
  const [suffix, replacement] = found;
  const stem = word.slice(0, -suffix.length);
  if (stem.length < (suffix === 'ative' ? r2 : r1)) return word;
  return stem + replacement;
}

function step4(word: string, r2: number): string {
  const match = STEP_4.exec(word);
  return match && match.index >= r2 ? word.slice(0, match.index) : word;
}

function step5(word: string, { r1, r2 }: { readonly r1: number; readonly r2: number }): string {
  const stem = word.slice(0, -1);
  if (word.endsWith('e')) {
    const isDropped = stem.length >= r2 || (stem.length >= r1 && !SHORT_SYLLABLE.test(stem));
    return isDropped ? stem : word;
  }
  return word.endsWith('ll') && stem.length >= r2 ? stem : word;
}
