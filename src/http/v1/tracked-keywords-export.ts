import { type PeriodKey, periodKey } from '../../domain/period.ts';
import { visibleWindow } from '../../domain/plan.ts';
import { changeColumn, numberColumn, periodColumn, rankColumn, textColumn } from '../../export/columns.ts';
import { defineEndpoint } from '../endpoint.ts';
import { EXPORT_TERMS, fileFormat, fileSuccess } from './file-answer.ts';
import { answerListExport } from './list-export.ts';
import { trackedSet } from './tracked-keyword.ts';
import { listTracked, trackedParameters } from './tracked-keywords.ts';

type Tracked = Awaited<ReturnType<typeof listTracked>>[number];

const COLUMNS = [
  textColumn({ label: 'Search term', field: 'search_term', widthCharacters: 40 }),
  textColumn({ label: 'Notes', field: 'notes', widthCharacters: 32 }),
  textColumn({ label: 'Active', field: 'is_active', widthCharacters: 11.5, type: 'flag' }),
  textColumn({ label: 'Latest period', field: 'latest_period', widthCharacters: 11.5 }),
  rankColumn({ label: 'Latest rank', field: 'latest_rank' }),
  rankColumn({ label: 'Previous rank', field: 'previous_rank' }),
  changeColumn({ label: 'Rank change', field: 'rank_change' }),
  rankColumn({ label: 'Best rank', field: 'best_rank' }),
  rankColumn({ label: 'Worst rank', field: 'worst_rank' }),
  numberColumn({ label: 'Average rank', field: 'avg_rank', type: 'decimal', style: 'average' }),
  rankColumn({ label: 'Periods ranked', field: 'total_periods' }),
  textColumn({ label: 'Alerts', field: 'priority_enabled', widthCharacters: 11.5, type: 'flag' }),
  textColumn({ label: 'Alert when', field: 'priority_rule', widthCharacters: 24 }),
  textColumn({ label: 'Added at', field: 'created_at', widthCharacters: 26 }),
  textColumn({ label: 'Id', field: 'id', widthCharacters: 38 }),
];

/** The scope is that of the list: a key for exports alone must not see what a user tracks. */
export const exportTrackedKeywords = defineEndpoint({
  method: 'GET',
  path: '/v1/tracked-keywords/export',
  operationId: 'exportTrackedKeywords',
  summary: 'Export tracked keywords',
  description: `The elements of the same list, in the same order, as a file with a column for each visible month. ${EXPORT_TERMS}`,
  tag: 'Tracked keywords',
  scope: 'tracked:read',
  action: 'export',
  parameters: { ...trackedParameters, file_format: fileFormat },
  success: fileSuccess,
  handle: async (context) => {
    const { caller, parameters, plan, resources } = context;
    const view = resources.ranks.openView(trackedSet(resources), caller.organizationId);
    return await answerListExport({ ...context, parameters: { ...parameters, limit: undefined } }, view, async () => {
      const rows = await listTracked(context, view);
      const window = visibleWindow({ plan, frequency: 'monthly', published: view?.periods ?? [] });
      // A month that was named ends the history.
      const shown = rows.find(({ snapshot }) => snapshot.history.length > 0)?.snapshot.history ?? [];
      const keys = shown.map(({ period }) => period as PeriodKey);
      return {
        ...{ name: 'tracked-keywords', sheetName: 'Tracked', title: 'Tracked keywords' },
        columns: [...COLUMNS, ...keys.map((key) => periodColumn(key, { type: 'integer', style: 'rank' }))],
        ...{ window, periods: window.filter((period) => keys.includes(periodKey(period))) },
        eventTerms: rows.map(({ search_term }) => search_term.original_term),
        slice: { offset: 0, limit: undefined },
        readPage: async ({ offset, limit }) => ({ totalCount: rows.length, rows: rows.slice(offset, offset + limit) }),
        present: (row) => row,
        flatten: (wire) => flattenTracked(wire as unknown as Tracked),
      };
    });
  },
});

function flattenTracked({ search_term, priority_rule: rule, snapshot, ...keyword }: Tracked) {
  const { history, ...ranks } = snapshot;
  return {
    ...keyword,
    ...ranks,
    search_term: search_term.original_term,
    priority_rule: `${rule.field} ${rule.operator} ${rule.value}`,
    ...Object.fromEntries(history.map(({ period, rank }) => [period, rank])),
  };
}
