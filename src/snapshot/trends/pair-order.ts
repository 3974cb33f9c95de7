// The orders of a pair of periods of which nothing is sorted. Keys of a few bits stand for numbers and texts that have more (pair-keys.ts), and
// what decides among equal keys are the rest of the number or text, the newer rank and the term.
import { changeHundredths } from '../../domain/trend.ts';
import { valueAt } from '../format/sparse-column.ts';
import { compareTexts, type TextColumn } from '../format/text-column.ts';
import type { DocumentList } from '../query/document-list.ts';
import { type KeyAt, LAST_KEY, type SelectionOrder } from '../query/selection.ts';
import type { MoveOrder } from './moves.ts';
import { type GatherNear, gatherNearBy } from './pair-keys.ts';
import type { PeriodPair } from './period-pair.ts';
import { WORD_BYTES, wordAt } from './term-words.ts';
import type { TiesOf } from './trend-selection.ts';

/** More than a float lies beside the hundredths that it stands for. */
const FLOAT_ERROR = 2 ** 16;
/** The whole bytes of a text that its key holds. */
const KEY_BYTES = 3;
/** Few terms are alike over 27 bytes. */
const TEXT_LEVELS = 6;

export interface PairOrder {
  readonly gatherNear: GatherNear;
  /** Documents are slots. */
  readonly tiesOf: TiesOf;
}

interface PairColumns {
  readonly pair: PeriodPair;
  readonly terms: TextColumn;
}

export function orderPair(order: MoveOrder, columns: PairColumns): PairOrder {
  return {
    gatherNear: gatherNearBy(order, columns.terms),
    tiesOf: (slots) => listTies(order, slots, columns),
  };
}

function listTies(
  { field, direction }: MoveOrder,
  slots: DocumentList,
  { pair, terms }: PairColumns,
): SelectionOrder['ties'] {
  const slotAt = (position: number): number => slots[position] ?? 0;
  const compareTerms = (a: number, b: number) => compareTexts(terms, [slotAt(a), slotAt(b)]);
  const directed = (keyAt: KeyAt): KeyAt => (direction === 'asc' ? keyAt : (position) => LAST_KEY - keyAt(position));
  if (field === 'query') {
    const levels = Array.from({ length: TEXT_LEVELS }, (_, level) => {
      const depth = KEY_BYTES + level * WORD_BYTES;
      return directed((position) => wordAt(terms, { slot: slotAt(position), depth }));
    });
    return { levels, compare: direction === 'asc' ? compareTerms : (a, b) => compareTerms(b, a) };
  }
  const rankAt: KeyAt = (position) => valueAt(pair.latest, slotAt(position));
  if (field !== 'change_percentage') return { levels: [rankAt], compare: compareTerms };
  const restAt: KeyAt = (position) => {
    const hundredths = changeHundredths(valueAt(pair.previous, slotAt(position)), rankAt(position));
    return FLOAT_ERROR + hundredths - Math.fround(hundredths);
  };
  return { levels: [directed(restAt), rankAt], compare: compareTerms };
}
