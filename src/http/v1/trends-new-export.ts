import { planNewTerms } from '../../domain/trend.ts';
import { rankColumn, textColumn } from '../../export/columns.ts';
import { defineEndpoint } from '../endpoint.ts';
import { EXPORT_TERMS, fileSuccess } from './file-answer.ts';
import { answerListExport, listExportParameters } from './list-export.ts';
import { openRequestedView } from './requested-view.ts';
import { NO_TREND, toTrendQuery } from './trend-parameters.ts';
import { newParameters, presentNewTerm } from './trends-new.ts';

const COLUMNS = [
  textColumn({ label: 'Search term', field: 'query', widthCharacters: 40 }),
  rankColumn({ label: 'Current rank', field: 'current_rank' }),
];

export const exportNewTerms = defineEndpoint({
  method: 'GET',
  path: '/v1/trends/new/export',
  operationId: 'exportNewTerms',
  summary: 'Export new terms',
  description: `The elements of the same list, in the same order, as a file. ${EXPORT_TERMS}`,
  tag: 'Trends',
  scope: 'export',
  parameters: { ...newParameters, ...listExportParameters },
  success: fileSuccess,
  handle: async (context) => {
    const { parameters, plan, signal } = context;
    const query = toTrendQuery({ ...parameters, limit: 1 });
    const view = openRequestedView(context, query);
    return await answerListExport(context, view, () => {
      const newPlan = planNewTerms(query, { plan, published: view?.periods ?? [] });
      return {
        ...{ name: 'new-terms', sheetName: 'New', title: 'New terms', columns: COLUMNS },
        ...{ window: newPlan.window, periods: newPlan.window, slice: parameters },
        readPage: async (slice) => (await view?.listNewTerms({ ...newPlan, ...slice }, { signal })) ?? NO_TREND,
        present: presentNewTerm,
      };
    });
  },
});
