import { planTermHistory, type TermPeriod } from '../../domain/holder.ts';
import { MAX_PRODUCTS } from '../../domain/keyword-export.ts';
import type { Period } from '../../domain/period.ts';
import { normalizeTerm } from '../../domain/term.ts';
import { productColumns, rankColumn, shareColumn, textColumn } from '../../export/columns.ts';
import { defineEndpoint } from '../endpoint.ts';
import { textList } from '../parameters.ts';
import { listEventNotes } from './chart-events.ts';
import { EXPORT_TERMS, fileSuccess } from './file-answer.ts';
import { openHolderView } from './holder-parameters.ts';
import { answerListExport, listExportParameters } from './list-export.ts';
import { presentTermPeriod } from './search-keyword-history.ts';
import { marketplace, type } from './search-parameters.ts';

/** As many as a chart compares. */
const MAX_TERMS = 5;

const COLUMNS = [
  textColumn({ label: 'Search term', field: 'search_term', widthCharacters: 40 }),
  textColumn({ label: 'Period', field: 'period', widthCharacters: 11.5 }),
  textColumn({ label: 'First day', field: 'start_date', widthCharacters: 11.5 }),
  textColumn({ label: 'Last day', field: 'end_date', widthCharacters: 11.5 }),
  rankColumn({ label: 'Search rank', field: 'rank' }),
  ...Array.from({ length: MAX_PRODUCTS }, (_, i) => productColumns(i + 1)).flat(),
  textColumn({ label: 'Brands', field: 'brands', widthCharacters: 32, type: 'texts' }),
  shareColumn({ label: 'Click concentration', field: 'click_concentration' }),
  shareColumn({ label: 'Conversion concentration', field: 'conversion_concentration' }),
  textColumn({ label: 'Notes', field: 'notes', widthCharacters: 32, type: 'texts' }),
];

interface Row {
  readonly term: string;
  readonly period: Period;
  readonly found: TermPeriod | undefined;
}

export const exportKeywordHistory = defineEndpoint({
  method: 'GET',
  path: '/v1/search/keyword/history/export',
  operationId: 'exportKeywordHistory',
  summary: 'Export keywords over time',
  description:
    `What each visible period says of up to ${MAX_TERMS} keywords, oldest first, one keyword after the other: one row per keyword and ` +
    `period. \`notes\` are those on the keyword's chart whose day is in the period. ${EXPORT_TERMS}`,
  tag: 'Search',
  scope: 'export',
  parameters: {
    term: textList(`The keywords, ${MAX_TERMS} at most; compared in normalised form.`, {
      required: true,
      examples: ['running shoes', 'sandals'],
      max: MAX_TERMS,
    }),
    type,
    marketplace,
    ...listExportParameters,
  },
  success: fileSuccess,
  handle: async (request) => {
    const { parameters, signal } = request;
    const asked = openHolderView(request, parameters.type);
    const { view, context } = asked;
    return await answerListExport(request, view, async () => {
      const plans = [...new Set(parameters.term)].map((term) => ({ term, plan: planTermHistory(term, context) }));
      const rows: Row[] = [];
      for (const { term, plan } of plans) {
        const periods = (await view?.listTermPeriods(plan, { signal })) ?? [];
        rows.push(...plan.window.map((period, i) => ({ term, period, found: periods[i] })));
      }
      const window = plans[0]?.plan.window ?? [];
      const notes = await listEventNotes(request, { terms: parameters.term, periods: window });
      const notesOn = (term: string, { start_date: start, end_date: end }: ReturnType<typeof presentTermPeriod>) =>
        notes
          .filter(({ date, searchTerm }) => start <= date && date <= end && isAbout(term, searchTerm))
          .map(({ note }) => note);
      return {
        ...{ name: parameters.term.join(' '), sheetName: 'History', title: 'Keywords over time', columns: COLUMNS },
        ...{ window, periods: window, slice: { offset: 0, limit: parameters.limit } },
        eventTerms: parameters.term,
        readPage: ({ offset, limit }) =>
          Promise.resolve({ totalCount: rows.length, rows: rows.slice(offset, offset + limit) }),
        present: ({ term, period, found }) => {
          const wire = presentTermPeriod(period, found, asked);
          return { search_term: term, ...wire, notes: notesOn(term, wire) };
        },
        flatten: (wire) => flattenHistory(wire as unknown as ReturnType<typeof presentTermPeriod>),
      };
    });
  },
});

/** A note of no keyword is about every one. */
function isAbout(term: string, noted: string | null): boolean {
  return noted === null || normalizeTerm(noted) === normalizeTerm(term);
}

function flattenHistory({ products, ...row }: ReturnType<typeof presentTermPeriod>) {
  const named = products.flatMap((product, i) =>
    Object.entries(product).map(([field, value]) => [`product_${i + 1}_${field}`, value]),
  );
  return { ...row, ...Object.fromEntries(named) };
}
