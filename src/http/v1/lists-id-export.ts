import { MAX_LIST_ITEMS } from '../../domain/keyword-list.ts';
import { type PeriodKey, periodKey } from '../../domain/period.ts';
import { visibleWindow } from '../../domain/plan.ts';
import { changeColumn, numberColumn, periodColumn, rankColumn, textColumn } from '../../export/columns.ts';
import { defineEndpoint } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import { EXPORT_TERMS, fileFormat, fileSuccess } from './file-answer.ts';
import { answerListExport } from './list-export.ts';
import { presentListItems } from './list-fields.ts';
import { LIST } from './lists-id.ts';
import { itemParameters } from './lists-id-items.ts';
import { trackedSet } from './tracked-keyword.ts';

const COLUMNS = [
  textColumn({ label: 'Kind', field: 'kind', widthCharacters: 11.5 }),
  textColumn({ label: 'Keyword or product', field: 'value', widthCharacters: 40 }),
  textColumn({ label: 'Title', field: 'title', widthCharacters: 40 }),
  textColumn({ label: 'Tags', field: 'tags', widthCharacters: 24 }),
  textColumn({ label: 'Notes', field: 'notes', widthCharacters: 32 }),
  textColumn({ label: 'Latest period', field: 'latest_period', widthCharacters: 11.5 }),
  rankColumn({ label: 'Latest rank', field: 'latest_rank' }),
  rankColumn({ label: 'Previous rank', field: 'previous_rank' }),
  changeColumn({ label: 'Rank change', field: 'rank_change' }),
  rankColumn({ label: 'Best rank', field: 'best_rank' }),
  rankColumn({ label: 'Worst rank', field: 'worst_rank' }),
  numberColumn({ label: 'Average rank', field: 'avg_rank', type: 'decimal', style: 'average' }),
  rankColumn({ label: 'Periods ranked', field: 'total_periods' }),
  rankColumn({ label: 'Keywords held', field: 'keywords' }),
  textColumn({ label: 'Added at', field: 'created_at', widthCharacters: 26 }),
  textColumn({ label: 'Id', field: 'id', widthCharacters: 38 }),
];

/** The scope is that of the list, as of tracked keywords. */
export const exportList = defineEndpoint({
  method: 'GET',
  path: '/v1/lists/{id}/export',
  operationId: 'exportList',
  summary: 'Export a list',
  description: `The items of a list, in their order, as a file with a column for each visible month. ${EXPORT_TERMS}`,
  tag: 'Lists',
  scope: 'tracked:read',
  action: 'export',
  item: LIST,
  parameters: { ...itemParameters, file_format: fileFormat },
  success: fileSuccess,
  handle: async (context) => {
    const { caller, id, parameters, plan, resources } = context;
    const list = await resources.lists.find(caller, id);
    if (!list) throw noSuchItem(LIST);
    const view = resources.ranks.openView(trackedSet(resources), caller.organizationId);
    return await answerListExport({ ...context, parameters: { ...parameters, limit: undefined } }, view, async () => {
      const query = { ...parameters, listId: id, offset: 0, limit: MAX_LIST_ITEMS };
      const page = await resources.listItems.list(caller, query);
      const rows = await presentListItems(context, page?.items ?? []);
      const window = visibleWindow({ plan, frequency: 'monthly', published: view?.periods ?? [] });
      const keys = window.map(periodKey);
      return {
        ...{ name: `list-${list.name}`, sheetName: 'List', title: `List: ${list.name}` },
        columns: [...COLUMNS, ...keys.map((key: PeriodKey) => periodColumn(key, { type: 'integer', style: 'rank' }))],
        eventTerms: rows.filter(({ kind }) => kind === 'keyword').map(({ value }) => value),
        ...{ window, periods: window, slice: { offset: 0, limit: undefined } },
        readPage: async ({ offset, limit }) => ({ totalCount: rows.length, rows: rows.slice(offset, offset + limit) }),
        present: (row) => row,
        flatten: (wire) => flattenItem(wire as unknown as Presented),
      };
    });
  },
});

type Presented = Awaited<ReturnType<typeof presentListItems>>[number];

function flattenItem({ keyword, product, tags, ...item }: Presented) {
  return {
    ...item,
    tags: tags.join('; '),
    ...keyword,
    ...(product && { title: product.title, keywords: product.keywords, latest_period: product.period }),
    ...Object.fromEntries((keyword?.history ?? []).map(({ period, rank }) => [period, rank])),
  };
}
