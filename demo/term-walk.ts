// Visits every term of the space that is popular enough. The modifiers of each slot are in order of weight, so a walk can
// leave a branch as soon as even its best term would be too rare; its cost is that of the terms found, not of the space.

import { type FamilySource, SLOTS } from './family.ts';
import { createSalt, hashWith, type Salt, unitOf } from './hash.ts';
import { SEASONS } from './season.ts';
import { NO_PIECE, type TermPattern, type TermSpace } from './term-space.ts';
import { headPiece, MAX_SLOTS } from './term-text.ts';

const MAX_TERM_WORDS = 6;

/** Half the width of the random part of a term's and of a noun's popularity, as natural logarithms. */
const TERM_NOISE = 1.3;
const BARE_NOISE = 0.2;
const HEAD_NOISE = 0.45;

/** From this height on a season is a holiday, and a term can belong to one holiday only. */
const HOLIDAY_HIGH = 1.9;
/** What a slot that fits few nouns of its family takes from the popularity of a term. */
const RARE_COST = 1.6;
const DEVICE_SLOT = SLOTS.indexOf('device');

interface FoundTerm {
  template: number;
  combination: number;
  score: number;
  season: number;
}

export interface TermWalk {
  readonly space: TermSpace;
  readonly seed: number;
  /** Natural logarithm of the popularity below which terms are left out. */
  readonly floor: number;
  /** Called with the same object each time. */
  readonly visit: (term: FoundTerm) => void;
}

interface Level {
  choices: Uint16Array;
  /** Weight that the slots after this one can still add. */
  bestRest: number;
  score: number;
  combination: number;
  stride: number;
  words: number;
  lowBits: number;
  highBits: number;
  season: number;
}

interface WalkState extends TermWalk {
  readonly levels: readonly Level[];
  readonly found: FoundTerm;
  readonly termSalt: Salt;
  slotCount: number;
}

export function walkTerms(walk: TermWalk): void {
  const state: WalkState = {
    ...walk,
    levels: Array.from({ length: MAX_SLOTS + 1 }, emptyLevel),
    found: { template: 0, combination: 0, score: 0, season: 0 },
    termSalt: createSalt({ seed: walk.seed, purpose: 'term popularity' }),
    slotCount: 0,
  };
  const headSalt = createSalt({ seed: walk.seed, purpose: 'noun popularity' });
  const { heads, families, patterns } = walk.space;
  for (let head = 0; head < heads.weight.length; head += 1) {
    const family = families[heads.family[head] ?? 0];
    const rareBits = rareSlotBits(family);
    const own = (heads.weight[head] ?? 0) + (2 * unitOf(hashWith(headSalt, head)) - 1) * HEAD_NOISE;
    const needsDevice = family?.needsDevice ?? false;
    for (let number = 0; number < patterns.length; number += 1) {
      const pattern = patterns[number];
      if (!pattern || own + pattern.weight + TERM_NOISE < walk.floor) break;
      if (needsDevice && !pattern.slots.includes(DEVICE_SLOT)) continue;
      const rare = pattern.slots.filter((slot) => (rareBits & (1 << slot)) !== 0).length;
      if (!openTemplate(state, { head, weight: own - rare * RARE_COST, pattern })) continue;
      state.found.template = head * patterns.length + number;
      descend(state, 0);
    }
  }
}

function rareSlotBits(family: FamilySource | undefined): number {
  const rare = family?.rareSlots ?? ['size'];
  return rare.reduce((bits, slot) => bits | (1 << SLOTS.indexOf(slot)), 0);
}

/** Prepares the levels of one template; false when it has no term at all above the floor. */
function openTemplate(
  state: WalkState,
  { head, weight, pattern }: { readonly head: number; readonly weight: number; readonly pattern: TermPattern },
): boolean {
  const { space, levels } = state;
  let best = weight + pattern.weight + TERM_NOISE;
  if (headPiece(space, { head, form: pattern.form }) === NO_PIECE) return false;
  for (const slot of pattern.slots) {
    const choices = space.choices[head * SLOTS.length + slot];
    if (!choices || choices.length === 0) return false;
    best += space.values.weight[choices[0] ?? 0] ?? 0;
  }
  if (best < state.floor) return false;
  state.slotCount = pattern.slots.length;
  let bestRest = 0;
  for (let index = pattern.slots.length - 1; index >= 0; index -= 1) {
    const level = levels[index];
    const choices = space.choices[head * SLOTS.length + (pattern.slots[index] ?? 0)];
    if (!level || !choices) return false;
    level.choices = choices;
    level.bestRest = bestRest;
    bestRest += space.values.weight[choices[0] ?? 0] ?? 0;
  }
  const first = levels[0];
  if (!first) return false;
  first.score = weight + pattern.weight;
  first.combination = 0;
  first.stride = 1;
  first.words = (space.heads.words[head] ?? 1) + pattern.literalWords;
  first.lowBits = 0;
  first.highBits = 0;
  first.season = space.heads.season[head] ?? 0;
  return true;
}

function descend(state: WalkState, depth: number): void {
  const level = state.levels[depth];
  const next = state.levels[depth + 1];
  if (!level) return;
  if (depth === state.slotCount || !next) {
    meet(state, level);
    return;
  }
  const { values } = state.space;
  const { choices } = level;
  const enough = state.floor - TERM_NOISE - level.bestRest - level.score;
  for (let digit = 0; digit < choices.length; digit += 1) {
    const value = choices[digit] ?? 0;
    const weight = values.weight[value] ?? 0;
    if (weight < enough) return;
    const lowBits = values.lowBits[value] ?? 0;
    const highBits = values.highBits[value] ?? 0;
    if ((lowBits & level.lowBits) !== 0 || (highBits & level.highBits) !== 0) continue;
    const words = level.words + (values.words[value] ?? 1);
    const season = joinSeasons({ term: level.season, modifier: values.season[value] ?? 0 });
    if (words > MAX_TERM_WORDS || season < 0) continue;
    next.score = level.score + weight;
    next.combination = level.combination + digit * level.stride;
    next.stride = level.stride * choices.length;
    next.words = words;
    next.lowBits = level.lowBits | lowBits;
    next.highBits = level.highBits | highBits;
    next.season = season;
    descend(state, depth + 1);
  }
}

function meet(state: WalkState, level: Level): void {
  const { found } = state;
  const hash = hashWith(state.termSalt, Math.imul(found.template, 0x01000193) ^ level.combination);
  const noise = state.slotCount === 0 ? BARE_NOISE : TERM_NOISE;
  const score = level.score + (2 * unitOf(hash) - 1) * noise;
  if (score < state.floor || level.words > MAX_TERM_WORDS) return;
  found.combination = level.combination;
  found.score = score;
  found.season = level.season;
  state.visit(found);
}

/** The season of a term with one more modifier, or -1 when the two cannot go together. */
function joinSeasons({ term, modifier }: { readonly term: number; readonly modifier: number }): number {
  if (modifier === 0 || modifier === term) return term;
  if (term === 0 || !isHoliday(term)) return modifier;
  return isHoliday(modifier) ? -1 : term;
}

function isHoliday(season: number): boolean {
  return (SEASONS[season]?.high ?? 0) >= HOLIDAY_HIGH;
}

function emptyLevel(): Level {
  return {
    choices: new Uint16Array(0),
    bestRest: 0,
    score: 0,
    combination: 0,
    stride: 1,
    words: 0,
    lowBits: 0,
    highBits: 0,
    season: 0,
  };
}
