// The words of the demo data stand in vocabulary/*.json, in the notation of phrase.ts: product families by department, and lists that
// several families share. A list is an array of lines; a name in its place means the shared list of that name.

import { readFileSync } from 'node:fs';
import type { FamilySource } from './family.ts';

/** In this order, because terms are numbered by it. Spanish is the second language of the American shop. */
const DEPARTMENTS = [
  'clothing',
  'shoes',
  'electronics',
  'home',
  'kitchen',
  'beauty',
  'health',
  'grocery',
  'toys',
  'sports',
  'workshop',
  'pets',
  'office',
  'media',
  'celebrations',
  'spanish',
];

type Lines = readonly string[];

/** A family as it is written: lists as lines or by name. */
type WrittenFamily = Omit<FamilySource, 'brands' | 'heads' | 'detail' | 'titles' | 'slots'> & {
  readonly brands: Lines;
  readonly heads: Lines;
  readonly detail: Lines;
  readonly titles?: Lines;
  readonly slots: Readonly<Record<string, Lines | string>>;
};

export interface Vocabulary {
  readonly families: readonly FamilySource[];
  /** Of a name that several families share. */
  readonly shared: (name: string) => string;
}

export function readVocabulary(): Vocabulary {
  const lists: Readonly<Record<string, Lines>> = readJson('shared-lists');
  const shared = (name: string): string => {
    const lines = lists[name];
    if (!lines) throw new Error(`The vocabulary has no list "${name}".`);
    return lines.join('\n');
  };
  const listOf = (list: Lines | string) => (typeof list === 'string' ? shared(list) : list.join('\n'));
  const families = DEPARTMENTS.flatMap((department) => readJson<readonly WrittenFamily[]>(department)).map(
    (family) => ({
      ...family,
      brands: listOf(family.brands),
      heads: listOf(family.heads),
      detail: listOf(family.detail),
      ...(family.titles && { titles: listOf(family.titles) }),
      slots: Object.fromEntries(Object.entries(family.slots).map(([slot, list]) => [slot, listOf(list)])),
    }),
  );
  return { families: families as readonly FamilySource[], shared };
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./vocabulary/${name}.json`, import.meta.url), 'utf8'));
}
