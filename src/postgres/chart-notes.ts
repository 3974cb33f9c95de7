import {
  type ChartNote,
  type ChartNoteChange,
  type ChartNoteSelection,
  MAX_CHART_NOTES,
  type NewChartNote,
} from '../domain/chart-note.ts';
import { normalizeTerm } from '../domain/term.ts';
import type { SharedTable } from './shared-items.ts';
import { hashTerm } from './tracked-keywords.ts';

export const CHART_NOTES: SharedTable<ChartNote, NewChartNote, ChartNoteChange, ChartNoteSelection> = {
  name: 'chart_notes',
  noun: 'chart note',
  maxItems: MAX_CHART_NOTES,
  columns: `id, date::text AS date, note, search_term AS "searchTerm", created_at AS "createdAt", updated_at AS "updatedAt"`,
  order: 'chart_notes.date, position',
  condition: ({ terms, from, to }) => ({
    sql: `($2::bytea[] IS NULL OR term_hash IS NULL OR term_hash = ANY ($2))
      AND ($3::date IS NULL OR chart_notes.date >= $3) AND ($4::date IS NULL OR chart_notes.date <= $4)`,
    values: [terms?.map(hashTerm), from, to],
  }),
  write: ({ date, note, searchTerm }) => ({
    date,
    note,
    search_term: searchTerm,
    term_hash: searchTerm && hashTerm(normalizeTerm(searchTerm)),
  }),
  asAdded: (note, added) => ({ ...note, ...added }),
};
