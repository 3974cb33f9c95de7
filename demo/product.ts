// The products behind a term. A product belongs to a noun and to one modifier of the term, its anchor: whoever searches
// "black running shoes" clicks on running shoes whose title says black. Brand, ASIN and title follow from the number alone,
// so a product looks the same under every term and in every period.

import { BYTE, type ByteSink, putByte, putPiece } from './byte-sink.ts';
import { SLOTS, type Slot } from './family.ts';
import { hashWith, mix32, type Salt, unitOf } from './hash.ts';
import type { TermSpace } from './term-space.ts';
import { TITLE_HEAD, type TitlePattern } from './title-book.ts';

export const NO_ANCHOR = 8191;

/** Products of one noun and anchor. */
export const MAX_POOL = 64;

const OWN_BRAND_SHARE = 0.64;

const BRAND = SLOTS.indexOf('brand');
const WHO = SLOTS.indexOf('who');
const WHOSE = SLOTS.indexOf('whose');
const DETAIL = SLOTS.indexOf('detail');

/** These follow the noun in a title that has no place of its own for them. */
const AFTER_HEAD: readonly Slot[] = ['use', 'size', 'pack'];
const AFTER_HEAD_BITS = slotBits(AFTER_HEAD);

/** Words about shopping say nothing of a product, and never anchor one. */
const UNANCHORED_BITS = slotBits(['lead', 'tail']);

export interface Product {
  readonly head: number;
  /** A modifier's number, or NO_ANCHOR. */
  readonly anchor: number;
  readonly index: number;
  /** Fits 32 bits: 4,096 nouns, 8,192 anchors, 64 products of each. */
  readonly number: number;
  /** The root of all draws about the product. */
  readonly hash: number;
  readonly brandPiece: number;
}

export function createProduct(
  space: TermSpace,
  salt: Salt,
  { head, anchor, index }: { readonly head: number; readonly anchor: number; readonly index: number },
): Product {
  const number = ((head * 8192 + anchor) * MAX_POOL + index) >>> 0;
  const hash = hashWith(salt, number);
  return { head, anchor, index, number, hash, brandPiece: drawBrand(space, { head, anchor, hash }) };
}

export function canAnchor(space: TermSpace, value: number): boolean {
  return ((1 << (space.values.slot[value] ?? 0)) & UNANCHORED_BITS) === 0;
}

function drawBrand(
  space: TermSpace,
  product: { readonly head: number; readonly anchor: number; readonly hash: number },
): number {
  const { values, titles } = space;
  const { head, anchor } = product;
  if (anchor !== NO_ANCHOR && values.slot[anchor] === BRAND) return values.titlePiece[anchor] ?? 0;
  const hash = mix32(product.hash);
  const own = space.choices[head * SLOTS.length + BRAND];
  const draw = unitOf(hash);
  if (own && draw < OWN_BRAND_SHARE) {
    // The square makes the first brands of a family the most frequent.
    const place = Math.floor((own.length * draw * draw) / (OWN_BRAND_SHARE * OWN_BRAND_SHARE));
    return values.titlePiece[own[place] ?? 0] ?? 0;
  }
  return titles.inventedBrandPieces[(hash & 0xffff) % titles.inventedBrandPieces.length] ?? 0;
}

export function putTitle(sink: ByteSink, space: TermSpace, product: Product): void {
  const hash = mix32(product.hash + 1);
  const anchor = product.anchor === NO_ANCHOR ? -1 : product.anchor;
  const anchorSlot = anchor < 0 ? -1 : titleSlot(space.values.slot[anchor] ?? 0);
  const pattern = choosePattern(space, { head: product.head, hash, anchorSlot });
  const isPlaced = anchor < 0 || anchorSlot === BRAND || (pattern.slotBits & (1 << anchorSlot)) !== 0;
  const anchorPiece = anchor < 0 ? 0 : (space.values.titlePiece[anchor] ?? 0);
  let details = 0;
  for (let index = 0; index < pattern.tokens.length; index += 1) {
    const token = pattern.tokens[index] ?? 0;
    if (token === TITLE_HEAD) {
      const isAfter = (AFTER_HEAD_BITS & (1 << anchorSlot)) !== 0;
      if (!isPlaced && !isAfter) putSpaced(sink, space, anchorPiece);
      putPiece(sink, space.lexicon, space.heads.titlePiece[product.head] ?? 0);
      if (!isPlaced && isAfter) {
        putByte(sink, BYTE.space);
        putPiece(sink, space.lexicon, anchorPiece);
      }
    } else if (token < 0) putPiece(sink, space.lexicon, -2 - token);
    else if (token === BRAND) putPiece(sink, space.lexicon, product.brandPiece);
    else if (token === anchorSlot) putPiece(sink, space.lexicon, anchorPiece);
    else {
      const skip = token === DETAIL ? details : 0;
      putPiece(
        sink,
        space.lexicon,
        drawPiece(space, { head: product.head, slot: token, draw: hash + token, skip, anchor }),
      );
      if (token === DETAIL) details += 1;
    }
  }
}

/** In titles "for women" stands where "women's" stands. */
function titleSlot(slot: number): number {
  return slot === WHO ? WHOSE : slot;
}

/** A pattern that has a place for the anchor, when the family has one. */
function choosePattern(
  space: TermSpace,
  { head, hash, anchorSlot }: { readonly head: number; readonly hash: number; readonly anchorSlot: number },
): TitlePattern {
  const patterns = space.titles.patterns[space.heads.family[head] ?? 0] ?? [];
  const start = (hash >>> 8) % patterns.length;
  for (let step = 0; step < patterns.length; step += 1) {
    const pattern = patterns[(start + step) % patterns.length];
    if (pattern && (anchorSlot < 0 || (pattern.slotBits & (1 << anchorSlot)) !== 0)) return pattern;
  }
  const pattern = patterns[start];
  if (!pattern) throw new Error('A family has no title pattern.');
  return pattern;
}

/** A modifier of the slot that does not repeat the anchor. */
function drawPiece(
  space: TermSpace,
  {
    head,
    slot,
    draw,
    skip,
    anchor,
  }: {
    readonly head: number;
    readonly slot: number;
    readonly draw: number;
    /** How many of the slot the title has already. */
    readonly skip: number;
    readonly anchor: number;
  },
): number {
  const { values } = space;
  const choices = space.choices[head * SLOTS.length + slot];
  if (!choices) return 0;
  let place = ((mix32(draw) >>> 1) + skip) % choices.length;
  const value = choices[place] ?? 0;
  const repeats =
    anchor >= 0 &&
    (((values.lowBits[value] ?? 0) & (values.lowBits[anchor] ?? 0)) !== 0 ||
      ((values.highBits[value] ?? 0) & (values.highBits[anchor] ?? 0)) !== 0);
  if (repeats) place = (place + 1) % choices.length;
  return values.titlePiece[choices[place] ?? 0] ?? 0;
}

function putSpaced(sink: ByteSink, space: TermSpace, piece: number): void {
  putPiece(sink, space.lexicon, piece);
  putByte(sink, BYTE.space);
}

function slotBits(slots: readonly Slot[]): number {
  return slots.reduce((bits, slot) => bits | (1 << SLOTS.indexOf(slot)), 0);
}
