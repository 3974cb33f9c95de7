import { periodKey } from '../../domain/period.ts';
import { changeColumn, periodColumn, rankColumn, textColumn } from '../../export/columns.ts';
import { defineEndpoint } from '../endpoint.ts';
import { EXPORT_TERMS, fileSuccess } from './file-answer.ts';
import { answerListExport, listExportParameters } from './list-export.ts';
import { openRequestedView } from './requested-view.ts';
import { NO_TREND, toTrendQuery } from './trend-parameters.ts';
import { planSocial, presentSocialRank, readSocialPage, socialParameters } from './trends-social-media-ranks.ts';

const COLUMNS = [
  textColumn({ label: 'Search term', field: 'query', widthCharacters: 40 }),
  rankColumn({ label: 'Start rank', field: 'start_rank' }),
  rankColumn({ label: 'End rank', field: 'end_rank' }),
  changeColumn({ label: 'Total improvement', field: 'total_improvement' }),
  rankColumn({ label: 'Search rank', field: 'search_rank' }),
];

export const exportSocialMediaRanks = defineEndpoint({
  method: 'GET',
  path: '/v1/trends/social-media-ranks/export',
  operationId: 'exportSocialMediaRanks',
  summary: 'Export social-media ranks',
  description: `The elements of the same list, in the same order, as a file with a column for each period. ${EXPORT_TERMS}`,
  tag: 'Trends',
  scope: 'export',
  parameters: { ...socialParameters, ...listExportParameters },
  success: fileSuccess,
  handle: async (context) => {
    const { parameters, plan, signal } = context;
    const query = toTrendQuery({ ...parameters, limit: 1 });
    const social = openRequestedView(context, { ...query, source: 'social' });
    return await answerListExport(context, social, () => {
      const socialPlan = planSocial(query, { plan, social });
      const keys = socialPlan.span.map(periodKey);
      const periodColumns = keys.map((key) => periodColumn(key, { type: 'integer', style: 'rank' }));
      return {
        ...{ name: 'social-media-ranks', sheetName: 'Social', title: 'Social-media ranks' },
        columns: [...COLUMNS, ...periodColumns],
        ...{ window: socialPlan.window, periods: socialPlan.span, slice: parameters },
        readPage: async (slice) =>
          social ? await readSocialPage(social, { plan, socialPlan: { ...socialPlan, ...slice }, signal }) : NO_TREND,
        present: (row) => presentSocialRank(row, keys),
        flatten: ({ ranks, ...wire }) => ({ ...wire, ...(ranks as object) }),
      };
    });
  },
});
