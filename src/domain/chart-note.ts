// An event that a member notes on the chart: of one keyword, or of all.
import { type Period, periodDates } from './period.ts';
import type { SharedItem, SharedItems } from './shared-item.ts';

/** Of one organization. */
export const MAX_CHART_NOTES = 1000;
export const MAX_CHART_NOTE_CHARACTERS = 300;

export interface ChartNote extends SharedItem {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly note: string;
  /** As it was written; null for a note on every chart. */
  readonly searchTerm: string | null;
}

export type NewChartNote = Pick<ChartNote, 'date' | 'note' | 'searchTerm'>;
export type ChartNoteChange = { readonly [Field in keyof NewChartNote]: NewChartNote[Field] | undefined };

export interface ChartNoteSelection {
  /** Notes of these normalised terms, and those of all. Undefined: every note. */
  readonly terms: readonly string[] | undefined;
  /** Both days included. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** In the order of their dates. */
export type ChartNotes = SharedItems<ChartNote, NewChartNote, ChartNoteChange, ChartNoteSelection>;

/** The days that some periods cover, oldest first; undefined without any. */
export function datesOf(periods: readonly Period[]): { readonly from: string; readonly to: string } | undefined {
  const [first] = periods;
  const last = periods.at(-1);
  return first && last && { from: periodDates(first).start, to: periodDates(last).end };
}
