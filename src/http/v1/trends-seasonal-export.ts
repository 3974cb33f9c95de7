import { planSeasons } from '../../domain/season.ts';
import { numberColumn, rankColumn, textColumn } from '../../export/columns.ts';
import { defineEndpoint } from '../endpoint.ts';
import { EXPORT_TERMS, fileSuccess } from './file-answer.ts';
import { answerListExport, listExportParameters } from './list-export.ts';
import { openRequestedView } from './requested-view.ts';
import { NO_TREND } from './trend-parameters.ts';
import { presentSeason, seasonParameters, toSeasonQuery } from './trends-seasonal.ts';

const COLUMNS = [
  textColumn({ label: 'Search term', field: 'query', widthCharacters: 40 }),
  rankColumn({ label: 'Current rank', field: 'current_rank' }),
  rankColumn({ label: 'Peak month', field: 'peak_month' }),
  numberColumn({ label: 'Strength', field: 'strength', type: 'decimal', style: 'ratio' }),
  rankColumn({ label: 'Weeks until peak', field: 'weeks_until_peak' }),
  rankColumn({ label: 'Full years', field: 'full_years' }),
];

export const exportSeasonalTerms = defineEndpoint({
  method: 'GET',
  path: '/v1/trends/seasonal/export',
  operationId: 'exportSeasonalTerms',
  summary: 'Export seasonal terms',
  description: `The elements of the same list, in the same order, as a file. ${EXPORT_TERMS}`,
  tag: 'Trends',
  scope: 'export',
  parameters: { ...seasonParameters, ...listExportParameters },
  success: fileSuccess,
  handle: async (context) => {
    const { parameters, plan, signal } = context;
    const query = toSeasonQuery({ ...parameters, limit: 1 });
    const view = openRequestedView(context, query);
    return await answerListExport(context, view, () => {
      const seasonPlan = planSeasons(query, { plan, published: view?.periods ?? [] });
      const { window, weeksUntilPeak } = seasonPlan;
      return {
        ...{ name: 'seasonal-terms', sheetName: 'Seasonal', title: 'Seasonal terms', columns: COLUMNS },
        ...{ window, periods: window, slice: parameters },
        readPage: async (slice) => (await view?.listSeasonal({ ...seasonPlan, ...slice }, { signal })) ?? NO_TREND,
        present: (row) => presentSeason(row, weeksUntilPeak),
      };
    });
  },
});
