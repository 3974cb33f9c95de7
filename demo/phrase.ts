// The vocabulary is written as comma-separated phrases, the most searched first. A phrase may carry marks:
//
//   womens=Women's     how the phrase is written in a product title, when capitals alone do not do it
//   sunscreen@summer   the season in which it is searched (season.ts)
//   air fryer*3        three times as popular as its place in the list says
//   barrel jeans~      a fashion: it booms and fades
//   rice!              has no other number: "rices" is never searched

import { seasonNumber } from './season.ts';

export interface Phrase {
  readonly text: string;
  readonly title: string;
  readonly season: number;
  readonly factor: number;
  readonly isFashion: boolean;
  readonly isMass: boolean;
}

const MARK = /([=@*~!])([^=@*~!]*)/g;
const SMALL_WORDS = new Set([
  'a',
  'and',
  'by',
  'de',
  'for',
  'from',
  'in',
  'of',
  'on',
  'or',
  'para',
  'the',
  'to',
  'with',
]);
const UPPER_WORDS = new Set([
  'led',
  'usb',
  'tv',
  'hdmi',
  'rgb',
  'diy',
  'uv',
  'ac',
  'pc',
  'cd',
  'dvd',
  'rv',
  'gps',
  'xl',
]);

export function parsePhrases(list: string): readonly Phrase[] {
  return list
    .split(',')
    .map((item) => item.replace(/\s+/g, ' ').trim())
    .filter((item) => item !== '')
    .map(parsePhrase);
}

/** Brand names are listed as they are written on the box; people search for them in lower case. */
export function parseBrands(list: string): readonly Phrase[] {
  return parsePhrases(list).map((phrase) => ({ ...phrase, title: phrase.text, text: phrase.text.toLowerCase() }));
}

export function titleCase(text: string): string {
  return text
    .split(' ')
    .map((word) => {
      if (UPPER_WORDS.has(word)) return word.toUpperCase();
      if (SMALL_WORDS.has(word)) return word;
      return word
        .split('-')
        .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
        .join('-');
    })
    .join(' ');
}

function parsePhrase(item: string): Phrase {
  const text = /^[^=@*~!]+/.exec(item)?.[0].trim();
  if (text === undefined) throw new Error(`The vocabulary has a phrase without a text: "${item}".`);
  const marks = new Map([...item.matchAll(MARK)].map((match) => [match[1], (match[2] ?? '').trim()]));
  const season = marks.get('@');
  return {
    text,
    title: marks.get('=') ?? titleCase(text),
    season: season === undefined ? 0 : seasonNumber(season),
    factor: Number(marks.get('*') ?? 1),
    isFashion: marks.has('~'),
    isMass: marks.has('!'),
  };
}
