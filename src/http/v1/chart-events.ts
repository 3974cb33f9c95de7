// The notes on the chart in a file: those that fall into its periods, and are about all keywords or about its own.
import { type ChartNote, datesOf, MAX_CHART_NOTES } from '../../domain/chart-note.ts';
import type { Period } from '../../domain/period.ts';
import { normalizeTerm } from '../../domain/term.ts';
import type { RequestContext } from '../endpoint.ts';
import type { Parameters } from '../parameters.ts';

export interface ChartEvent {
  /** YYYY-MM-DD. */
  readonly date: string;
  /** With the keyword that it is about, where it is about one. */
  readonly text: string;
}

export interface EventQuestion {
  readonly terms: readonly string[];
  readonly periods: readonly Period[];
}

type EventContext = Pick<RequestContext<Parameters>, 'caller' | 'resources'>;

/** In the order of their dates; none for a key that must not read notes. */
export async function listEventNotes(
  { caller, resources }: EventContext,
  { terms, periods }: EventQuestion,
): Promise<readonly ChartNote[]> {
  const days = datesOf(periods);
  if (!days || !caller.scopes.has('tracked:read')) return [];
  const selection = { ...days, terms: terms.map(normalizeTerm) };
  const { items } = await resources.chartNotes.list(caller, { selection, limit: MAX_CHART_NOTES, offset: 0 });
  return items;
}

export async function listChartEvents(context: EventContext, question: EventQuestion): Promise<readonly ChartEvent[]> {
  const notes = await listEventNotes(context, question);
  return notes.map(({ date, note, searchTerm }) => {
    return { date, text: searchTerm === null ? note : `${searchTerm}: ${note}` };
  });
}
