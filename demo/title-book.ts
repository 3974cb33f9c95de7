// Title patterns of every family, ready to be written: literal text as pieces, slots by number.

import { inventBrands } from './brand-name.ts';
import type { LexiconBuilder } from './byte-sink.ts';
import { type FamilySource, SLOTS, type Slot } from './family.ts';
import { TITLE_PATTERNS } from './title-pattern.ts';
import { escapeCsv } from './value-table.ts';

export const TITLE_HEAD = -1;

export interface TitlePattern {
  /** A slot's number, TITLE_HEAD, or -2 minus the piece of a literal text. */
  readonly tokens: Int32Array;
  readonly slots: readonly number[];
  /** One bit for each slot that occurs. */
  readonly slotBits: number;
}

export interface TitleBook {
  readonly patterns: readonly (readonly TitlePattern[])[];
  readonly inventedBrandPieces: Uint32Array;
}

const TOKEN = /\{([a-z]+)\}|#|[^{}#]+/g;
const ALWAYS_THERE: readonly Slot[] = ['brand', 'detail', 'model'];

export function compileTitles(options: {
  readonly families: readonly FamilySource[];
  readonly lexicon: LexiconBuilder;
}): TitleBook {
  const { families, lexicon } = options;
  const patterns = families.map((family) => {
    const own = family.titles?.split('|').map((shape) => shape.replace(/\s+/g, ' ').trim());
    const fitting = (own ?? TITLE_PATTERNS)
      .map((shape) => compileTitle({ shape, lexicon }))
      .filter(({ slots }) => slots.every((slot) => hasSlot(family, slot)));
    if (fitting.length === 0) throw new Error(`No title pattern fits the family of ${family.categories[0]}.`);
    return fitting;
  });
  return { patterns, inventedBrandPieces: Uint32Array.from(inventBrands(), (name) => lexicon.add(name)) };
}

function compileTitle({ shape, lexicon }: { readonly shape: string; readonly lexicon: LexiconBuilder }): TitlePattern {
  const tokens = [...shape.matchAll(TOKEN)].map((match) => {
    if (match[0] === '#') return TITLE_HEAD;
    if (match[1] !== undefined) return SLOTS.indexOf(match[1] as Slot);
    return -2 - lexicon.add(escapeCsv(match[0]));
  });
  const slots = tokens.filter((token) => token >= 0);
  const slotBits = slots.reduce((bits, slot) => bits | (1 << slot), 0);
  return { tokens: Int32Array.from(tokens), slots, slotBits };
}

function hasSlot(family: FamilySource, number: number): boolean {
  const slot = SLOTS[number];
  if (slot === undefined) throw new Error('A title pattern names a slot that does not exist.');
  return ALWAYS_THERE.includes(slot) || (family.slots as Partial<Record<Slot, string>>)[slot] !== undefined;
}
