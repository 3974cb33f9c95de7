// A product family: nouns that share their modifiers. "waterproof", "womens" and "size 8" make sense with every noun among
// the shoes, so a family needs to say each of them once.

/** The last five occur in titles only. */
export const SLOTS = [
  'brand',
  'style',
  'whose',
  'who',
  'color',
  'material',
  'size',
  'pack',
  'use',
  'device',
  'occasion',
  'lead',
  'tail',
  'detail',
  'model',
  'adjective',
  'noun',
  'theme',
] as const;
export type Slot = (typeof SLOTS)[number];

export interface FamilySource {
  /** Amazon's internal product groups, the family's own one first. */
  readonly categories: readonly [string, ...string[]];
  /** How popular the family's first noun is among all families. */
  readonly weight: number;
  readonly brands: string;
  /** The nouns, in the notation of phrase.ts. */
  readonly heads: string;
  /** Phrases only for titles: what sellers write after the noun. */
  readonly detail: string;
  readonly slots: Partial<Record<Exclude<Slot, 'brand' | 'lead' | 'tail' | 'detail' | 'model'>, string>>;
  /**
   * Slots that fit only some of the nouns: their terms are kept for the tail. Sizes, unless the family says otherwise.
   */
  readonly rareSlots?: readonly Slot[];
  /** The nouns mean little without the device they are for: "case". */
  readonly needsDevice?: boolean;
  /** Names that have no plural: most food, most cosmetics. */
  readonly isMass?: boolean;
  /** Books are known by their ISBN. */
  readonly isBook?: boolean;
  /** Title patterns of its own, in place of those of title-pattern.ts. */
  readonly titles?: string;
  /** False where "best" and "on sale" sound wrong, as in another language. */
  readonly hasShoppingWords?: boolean;
}
