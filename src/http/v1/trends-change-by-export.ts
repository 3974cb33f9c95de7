import { planChanges } from '../../domain/trend.ts';
import { changeColumn, percentColumn, rankColumn, textColumn } from '../../export/columns.ts';
import { defineEndpoint } from '../endpoint.ts';
import { EXPORT_TERMS, fileSuccess } from './file-answer.ts';
import { answerListExport, listExportParameters } from './list-export.ts';
import { openRequestedView } from './requested-view.ts';
import { NO_TREND } from './trend-parameters.ts';
import { changeParameters, presentChange, toChangeQuery } from './trends-change-by.ts';

const COLUMNS = [
  textColumn({ label: 'Search term', field: 'query', widthCharacters: 40 }),
  rankColumn({ label: 'Previous rank', field: 'previous_rank' }),
  rankColumn({ label: 'Current rank', field: 'current_rank' }),
  changeColumn({ label: 'Change', field: 'change' }),
  rankColumn({ label: 'Size of the change', field: 'abs_change' }),
  percentColumn({ label: 'Change in percent', field: 'change_percentage' }),
];

export const exportRankChanges = defineEndpoint({
  method: 'GET',
  path: '/v1/trends/change-by/export',
  operationId: 'exportRankChanges',
  summary: 'Export rank changes',
  description: `The elements of the same list, in the same order, as a file. ${EXPORT_TERMS}`,
  tag: 'Trends',
  scope: 'export',
  parameters: { ...changeParameters, ...listExportParameters },
  success: fileSuccess,
  handle: async (context) => {
    const { parameters, plan, signal } = context;
    const query = toChangeQuery({ ...parameters, limit: 1 });
    const view = openRequestedView(context, query);
    return await answerListExport(context, view, () => {
      const changePlan = planChanges(query, { plan, published: view?.periods ?? [] });
      const { window, previous, current } = changePlan;
      return {
        ...{ name: 'changes', sheetName: 'Changes', title: 'Rank changes', columns: COLUMNS },
        ...{ window, periods: [previous, current].flatMap((period) => period ?? []), slice: parameters },
        readPage: async (slice) => (await view?.listChanges({ ...changePlan, ...slice }, { signal })) ?? NO_TREND,
        present: presentChange,
      };
    });
  },
});
