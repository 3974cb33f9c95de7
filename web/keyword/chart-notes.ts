// Events that members noted on the charts: of one keyword, or of all.
import { ask, forgetAnswers } from '../api/client.ts';
import { type AnswerState, useAnswer } from '../api/use-answer.ts';
import type { ChartNotesAnswer, PublishedPeriod } from '../api/wire.ts';
import type { ChartNoteMark } from '../chart/chart.tsx';

const PATH = '/v1/chart-notes';
const MAX_SHOWN = 200;

export type ChartNote = ChartNotesAnswer['data'][number];

/** Of these keywords, and those on every chart. */
export function useChartNotes(terms: readonly string[]): AnswerState<ChartNotesAnswer> {
  const params = new URLSearchParams({ limit: String(MAX_SHOWN) });
  for (const term of terms) params.append('search_term', term);
  return useAnswer<ChartNotesAnswer>(terms.length === 0 ? null : `${PATH}?${params}`);
}

/** Each at the period of its day; days that no period has are on no chart. */
export function placeNotes(notes: readonly ChartNote[], periods: readonly PublishedPeriod[]): readonly ChartNoteMark[] {
  return notes.flatMap(({ date, note }) => {
    const at = periods.findIndex(({ start_date: start, end_date: end }) => start <= date && date <= end);
    return at < 0 ? [] : [{ at, text: note }];
  });
}

export interface NewNote {
  readonly date: string;
  readonly note: string;
  /** Null on every chart. */
  readonly search_term: string | null;
}

/** Adds it, or changes the one that has this id. */
export async function saveNote(note: NewNote, id: string | undefined): Promise<void> {
  if (id === undefined) await ask(PATH, { method: 'POST', body: note });
  else await ask(`${PATH}/${id}`, { method: 'PATCH', body: note });
  forgetAnswers(PATH);
}

export async function removeNote({ id }: ChartNote): Promise<void> {
  await ask(`${PATH}/${id}`, { method: 'DELETE' });
  forgetAnswers(PATH);
}
