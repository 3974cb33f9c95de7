import { defineEndpoint } from '../endpoint.ts';
import { listChartEvents } from './chart-events.ts';
import { prepareExport } from './export-content.ts';
import { answerFile, EXPORT_TERMS, fileSuccess } from './file-answer.ts';
import { exportParameters } from './search-parameters.ts';

/** Spec 4.2. */
export const exportKeywords = defineEndpoint({
  method: 'GET',
  path: '/v1/search/keywords/export',
  operationId: 'exportKeywords',
  summary: 'Export keywords',
  description: `The rows of the same search, in the same order, as a spreadsheet. ${EXPORT_TERMS}`,
  tag: 'Search',
  scope: 'export',
  parameters: exportParameters,
  success: fileSuccess,
  handle: async (context) => {
    const { caller, parameters, plan, resources, signal } = context;
    const { ranks } = resources;
    const prepared = await prepareExport({
      parameters,
      plan,
      ranks,
      owner: caller.organizationId,
      now: resources.now(),
      listEvents: (about) => listChartEvents(context, about),
      signal,
    });
    const latestPeriod = prepared.content.periods.at(-1);
    const name = { queries: parameters.query, frequency: parameters.type, format: parameters.format, latestPeriod };
    return await answerFile(context, { name, open: prepared.open, held: prepared });
  },
});
