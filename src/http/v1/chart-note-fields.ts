// A note on the chart on the wire, and the fields that a caller writes.
import { type Static, Type } from 'typebox';
import { type ChartNote, MAX_CHART_NOTE_CHARACTERS } from '../../domain/chart-note.ts';
import { parseIsoDate } from '../../domain/period.ts';
import { type Field, notTheRule, nullableField, optionalField, termField, visibleField } from '../body.ts';
import { nullable, strictObject } from '../schemas.ts';
import { itemTimes, presentTimes } from './list-fields.ts';

export const ChartNoteSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  ...itemTimes,
  date: Type.String({ format: 'date' }),
  note: Type.String(),
  search_term: nullable(
    Type.String(),
    'The keyword on whose chart it stands, as it was written; null for every chart.',
  ),
});

export function presentChartNote(chartNote: ChartNote): Static<typeof ChartNoteSchema> {
  const { id, date, note, searchTerm } = chartNote;
  return { id, ...presentTimes(chartNote), date, note, search_term: searchTerm };
}

const date: Field<string> = {
  schema: Type.String({ description: 'The day of the event.', format: 'date' }),
  isRequired: true,
  absent: '',
  parse: (name, value) => {
    const day = typeof value === 'string' ? parseIsoDate(value) : undefined;
    if (day !== undefined && day >= '1900') return day;
    throw notTheRule({ name, value, rule: 'a day such as "2026-07-08"' });
  },
};
const note = visibleField('What happened.', { maxCharacters: MAX_CHART_NOTE_CHARACTERS });
const term = termField('The keyword on whose chart it stands; null for every chart.');

export const newNoteFields = { date, note, search_term: nullableField(term, { absent: null }) };
export const noteChangeFields = {
  date: optionalField(date),
  note: optionalField(note),
  search_term: nullableField(term, { absent: undefined }),
};
