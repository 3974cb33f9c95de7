// The keys of moves between two periods of which nothing is sorted, of a few bits each: which slots of a batch have one near the page of the
// answer, and how many have one below. Both are unpredictable, so everything but the rare slot near the page is arithmetic.
import { MAX_RANK } from '../../domain/ranking.ts';
import { changeHundredths } from '../../domain/trend.ts';
import { PAGE_SLOTS } from '../format/sparse-column.ts';
import type { TextColumn } from '../format/text-column.ts';

import type { KeyBounds } from '../query/selection.ts';
import { flipOf, KEY_BITS, type MoveBounds, type MoveOrder, maskOf } from './moves.ts';
import type { SlotBatch } from './slot-batch.ts';
import { readWords, WORD_BITS } from './term-words.ts';
import type { Gathered } from './trend-selection.ts';

/** The bits of 1 as a float, from which those of larger numbers count on. */
const BITS_OF_ONE = 0x3f80_0000;
/** Above the bits of the deepest fall, of fewer than 2³⁹ hundredths of a percent. */
const STANDSTILL = 39 * 2 ** 23;
/** How far at most a float lies beside the number that it stands for, as a share of it. */
const FLOAT_ERROR_SHARE = 2 ** -20;
const HIGHEST_KEY = 2 ** KEY_BITS - 1;

const float = new Float32Array(1);
const floatBits = new Int32Array(float.buffer);

/** Of a batch, the slots on the list and the beginnings of their terms. */
const slots = new Uint32Array(PAGE_SLOTS);
const words = new Uint32Array(PAGE_SLOTS);

interface Gathering {
  readonly batch: SlotBatch;
  readonly bounds: MoveBounds;
  readonly near: KeyBounds;
  readonly gathered: Gathered;
}

/** Keeps the slots on the list whose keys are within the bounds, and counts those below. */
export type GatherNear = (gathering: Gathering) => void;

/** Changes from the first to the second are left out. */
type LeftOut = readonly [number, number];

function boundChanges({ least, direction }: MoveBounds): LeftOut {
  const smallest = Math.min(least, MAX_RANK);
  return [direction === 'positive' ? -MAX_RANK : 1 - smallest, direction === 'negative' ? MAX_RANK : smallest - 1];
}

/** All bits for a move on the list, none for one that is left out and for a slot without an earlier rank. */
function listedMask(previous: number, latest: number, from: number, to: number): number {
  const change = previous - latest;
  return (((change - from) | (to - change)) & -previous) >> 31;
}

export function gatherNearBy({ field, direction }: MoveOrder, terms: TextColumn): GatherNear {
  const flip = flipOf(direction);
  switch (field) {
    case 'change_percentage':
      return (gathering) => gatherByPercentage(flip, gathering);
    case 'query':
      return (gathering) => gatherByTerm({ terms, flip }, gathering);
    default: {
      const order = {
        byPrevious: maskOf(field !== 'current_rank'),
        byLatest: maskOf(field !== 'previous_rank'),
        bySize: maskOf(field === 'abs_change' || field === 'current_rank'),
        flip,
      };
      return (gathering) => gatherByRanks(order, gathering);
    }
  }
}

/** The difference of those ranks that masks choose, or its size. */
interface RankOrder {
  readonly byPrevious: number;
  readonly byLatest: number;
  readonly bySize: number;
  readonly flip: number;
}

function gatherByRanks(
  { byPrevious, byLatest, bySize, flip }: RankOrder,
  { batch, bounds, near: { low, high }, gathered }: Gathering,
): void {
  const { firstSlot, step, count, numbers, previousRanks, latestRanks } = batch;
  const [from, to] = boundChanges(bounds);
  // Bounds of what keys are made of.
  const [least, most] =
    flip === 0 ? [low - MAX_RANK, high - MAX_RANK] : [flip - MAX_RANK - high, flip - MAX_RANK - low];
  let [listed, under, near] = [0, 0, gathered.near];
  for (let i = 0; i < count; i += 1) {
    const number = (numbers[i] ?? 0) | 0;
    const previous = (previousRanks[number] ?? 0) | 0;
    const latest = (latestRanks[i] ?? 0) | 0;
    const isListed = listedMask(previous, latest, from, to);
    const difference = (previous & byPrevious) - (latest & byLatest);
    const sign = (difference >> 31) & bySize;
    const value = (difference ^ sign) - sign;
    const above = value - least;
    listed -= isListed;
    under -= (above >> 31) & isListed;
    if ((above | (most - value) | ~isListed) >= 0) {
      gathered.documents[near] = firstSlot + number * step;
      gathered.keys[near] = (MAX_RANK + value) ^ flip;
      near += 1;
    }
  }
  gathered.listed += listed;
  gathered.below += flip === 0 ? under : listed - under - (near - gathered.near);
  gathered.near = near;
}

/** A product tells on which side of the bounds a slot is; only between them, and a little beside, is a key made. */
function gatherByPercentage(flip: number, { batch, bounds, near: { low, high }, gathered }: Gathering): void {
  const { firstSlot, step, count, numbers, previousRanks, latestRanks } = batch;
  const [from, to] = boundChanges(bounds);
  const isFlipped = flip & 1;
  const [lowest, highest] = [hundredthsOf(low, flip), hundredthsOf(high, flip)];
  const least = lowest - 1 - Math.abs(lowest) * FLOAT_ERROR_SHARE;
  const most = highest + 1 + Math.abs(highest) * FLOAT_ERROR_SHARE;
  let { below, listed, near } = gathered;
  for (let i = 0; i < count; i += 1) {
    const number = (numbers[i] ?? 0) | 0;
    const previous = (previousRanks[number] ?? 0) | 0;
    const latest = (latestRanks[i] ?? 0) | 0;
    const isListed = -listedMask(previous, latest, from, to);
    // The product of the earlier rank and the hundredths.
    const scaled = 10_000 * (((previous - latest) ^ -isFlipped) + isFlipped);
    const isBelow = Number(scaled < least * previous);
    listed += isListed;
    below += isBelow & isListed;
    if ((isBelow | Number(scaled > most * previous)) < isListed) {
      const key = keyPercentage(previous, latest) ^ flip;
      below += (key - low) >>> 31;
      gathered.documents[near] = firstSlot + number * step;
      gathered.keys[near] = key;
      near += ~((key - low) | (high - key)) >>> 31;
    }
  }
  gathered.below = below;
  gathered.listed = listed;
  gathered.near = near;
}

/** Rises as they are, at most 10,000 hundredths of a percent, and falls by the bits of a float: above 2²⁴ neighbours share a key. */
function keyPercentage(previous: number, latest: number): number {
  const hundredths = changeHundredths(previous, latest);
  if (hundredths >= 0) return STANDSTILL + hundredths;
  float[0] = -hundredths;
  return STANDSTILL + BITS_OF_ONE - 1 - (floatBits[0] ?? 0);
}

/** What a key stands for, in the direction of the order: keys that are higher stand for no less. */
function hundredthsOf(key: number, flip: number): number {
  const above = (Math.min(key, HIGHEST_KEY) ^ flip) - STANDSTILL;
  floatBits[0] = BITS_OF_ONE - 1 - above;
  const hundredths = above >= 0 ? above : -(float[0] ?? 0);
  return flip === 0 ? hundredths : -hundredths;
}

/** By the first bits of the terms. Loops that do little but fetch let the processor wait for many terms at once. */
function gatherByTerm(
  { terms, flip }: { readonly terms: TextColumn; readonly flip: number },
  { batch, bounds, near: { low, high }, gathered }: Gathering,
): void {
  const count = listSlots(batch, bounds);
  readWords(terms, { slots, count, words });
  let { below, near } = gathered;
  for (let i = 0; i < count; i += 1) {
    const key = ((words[i] ?? 0) >>> (WORD_BITS - KEY_BITS)) ^ flip;
    below += (key - low) >>> 31;
    if (((key - low) | (high - key)) >= 0) {
      gathered.documents[near] = slots[i] ?? 0;
      gathered.keys[near] = key;
      near += 1;
    }
  }
  gathered.below = below;
  gathered.listed += count;
  gathered.near = near;
}

function listSlots(batch: SlotBatch, bounds: MoveBounds): number {
  const { firstSlot, step, count, numbers, previousRanks, latestRanks } = batch;
  const [from, to] = boundChanges(bounds);
  let listed = 0;
  for (let i = 0; i < count; i += 1) {
    const number = (numbers[i] ?? 0) | 0;
    slots[listed] = firstSlot + Math.imul(number, step);
    listed -= listedMask((previousRanks[number] ?? 0) | 0, (latestRanks[i] ?? 0) | 0, from, to);
  }
  return listed;
}
