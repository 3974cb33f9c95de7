// A row that cannot be read is never dropped in silence: it is counted by its reason, the first of each kind is shown, and
// all of them go to a file.

export const REJECT_EXPLANATIONS = {
  fields: 'wrong number of fields',
  quotes: 'quotes do not match',
  encoding: 'not UTF-8 text',
  'too-long': 'line is too long',
  'long-text': 'search term, title, brand or category is longer than 4,000 bytes',
  rank: 'rank is not a whole number from 1 to 40,000,000',
  'empty-term': 'search term has no visible character',
  'damaged-term': 'search term was damaged by a spreadsheet',
  asin: 'product identifier is not valid',
  share: 'share is not a number from 0 to 100 %',
  date: 'reporting date is not a date',
  period: 'period_type or period is not valid',
} as const;
export type RejectReason = keyof typeof REJECT_EXPLANATIONS;

export interface RejectedRow {
  readonly line: number;
  readonly reason: RejectReason;
  readonly term: string;
  /** The value at fault, or the whole line when it could not be split into fields. */
  readonly detail: string;
}

export interface RejectCount {
  readonly reason: RejectReason;
  readonly rows: number;
  readonly first: RejectedRow;
}

/** Rejects by reason, the most frequent first. */
export function countRejects(rejects: readonly RejectedRow[]): readonly RejectCount[] {
  const counts = new Map<RejectReason, { rows: number; first: RejectedRow }>();
  for (const reject of rejects) {
    const known = counts.get(reject.reason);
    if (!known) counts.set(reject.reason, { rows: 1, first: reject });
    else {
      known.rows += 1;
      if (reject.line < known.first.line) known.first = reject;
    }
  }
  return [...counts].map(([reason, count]) => ({ reason, ...count })).toSorted((a, b) => b.rows - a.rows);
}
