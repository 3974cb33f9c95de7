// What stands in an export: the rows of the search, and the words of its About sheet. The endpoint and the command line both
// begin here, with the same parameters.

import type { Readable } from 'node:stream';
import type { OrganizationId } from '../../domain/account.ts';
import type { Cancellation } from '../../domain/cancellation.ts';
import { RequestError } from '../../domain/error.ts';
import { MAX_EXPORT_ROWS } from '../../domain/export-gate.ts';
import type { ExportContent, FileFormat } from '../../domain/keyword-export.ts';
import type { Plan } from '../../domain/plan.ts';
import { parseMarketplace } from '../../domain/published-ranks.ts';
import { SEARCH_FILTERS, type SearchFilter } from '../../domain/search-filter.ts';
import { planSearch, type SearchPlan } from '../../domain/search-plan.ts';
import type { SearchRow } from '../../domain/search-row.ts';
import type { RankView } from '../../domain/store.ts';
import { openBytes } from '../../export/byte-stream.ts';
import { FILE_FORMS } from '../../export/export-file.ts';
import { keywordContent, keywordTable } from '../../export/keyword-table.ts';
import type { ParameterValues } from '../parameters.ts';
import type { Resources } from '../resources.ts';
import type { ChartEvent, EventQuestion } from './chart-events.ts';
import type { exportParameters } from './search-parameters.ts';
import { toSearchQuery } from './search-query-parameters.ts';

const FILTER_NAMES: Readonly<Record<string, string>> = {
  method: 'Method',
  exclude_query: 'Excluded words',
  ...titlesOf('texts'),
  order_by: 'Order',
  order_direction: 'Direction',
  compare_to: 'Compared with',
  ...titlesOf('flag'),
  ...titlesOf('bound'),
  ...titlesOf('measure'),
  ...titlesOf('period'),
  page: 'Page',
  limit: 'Rows per page',
};

export interface ExportRequest {
  readonly parameters: ParameterValues<typeof exportParameters>;
  readonly plan: Plan;
  readonly ranks: Resources['ranks'];
  /** Whose it is, where there are several. */
  readonly owner?: OrganizationId;
  readonly now: Date;
  /** Notes on the chart about these terms or all, in these periods. Nobody's on the command line. */
  readonly listEvents?: (about: EventQuestion) => Promise<readonly ChartEvent[]>;
  readonly signal: Cancellation;
}

/** Closing it closes the state of the data that its rows are read from. */
export interface PreparedExport extends Disposable {
  readonly content: ExportContent;
  /** Throws a RequestError when the export does not fit the form; rows are read when the stream is. */
  readonly open: (
    fileFormat: FileFormat,
    options: { readonly temporaryDirectory: string; readonly onRows?: (rowCount: number) => void },
  ) => Readable;
}

/** Plans and counts. */
export async function prepareExport(request: ExportRequest): Promise<PreparedExport> {
  const { parameters, plan, ranks, owner, signal } = request;
  const marketplace = parseMarketplace(parameters.marketplace, ranks);
  const query = toSearchQuery({ ...parameters, limit: parameters.limit ?? MAX_EXPORT_ROWS });
  const view = ranks.openView({ marketplace, frequency: query.frequency, source: 'search' }, owner);
  try {
    const searchPlan = planSearch(query, { plan, published: view?.periods ?? [] });
    const rowCount = view ? await countRows(request, { view, searchPlan }) : 0;
    const { window: periods } = searchPlan;
    const events = await request.listEvents?.({ terms: parameters.query, periods });
    const content = describeExport(request, { searchPlan, rowCount, events: events ?? [] });
    const open: PreparedExport['open'] = (fileFormat, { temporaryDirectory, onRows }) => {
      const form = FILE_FORMS[fileFormat];
      form.check(keywordContent(content));
      if (view?.presenter) {
        const file = { content, fileFormat, temporaryDirectory };
        return openBytes(view.presenter.openExport(searchPlan, { file, signal, onRows }));
      }
      const batches = countBatches(view?.streamRows(searchPlan, { signal }) ?? noRows(), onRows);
      return form.open(keywordTable({ ...content, batches }), { temporaryDirectory });
    };
    return { content, open, [Symbol.dispose]: () => view?.[Symbol.dispose]() };
  } catch (error) {
    view?.[Symbol.dispose]();
    throw error;
  }
}

async function countRows(
  { parameters, signal }: ExportRequest,
  { view, searchPlan }: { readonly view: RankView; readonly searchPlan: SearchPlan },
): Promise<number> {
  const totalCount = await view.count(searchPlan, { signal });
  if (parameters.limit === undefined && totalCount > MAX_EXPORT_ROWS) {
    throw new RequestError(
      'INVALID_PARAMETERS',
      `The search has ${totalCount} results, and an export holds at most ${MAX_EXPORT_ROWS}.`,
      'Narrow the search with filters such as max_rank or brand, or export it page by page with limit and page.',
    );
  }
  return Math.max(0, Math.min(searchPlan.limit, totalCount - searchPlan.offset));
}

function describeExport(
  { parameters, plan, ranks, now }: ExportRequest,
  asked: { readonly searchPlan: SearchPlan; readonly rowCount: number; readonly events: readonly ChartEvent[] },
): ExportContent {
  const { searchPlan, rowCount, events } = asked;
  return {
    frequency: parameters.type,
    periods: searchPlan.window,
    format: parameters.format,
    colorThresholdPercent: parameters.color_threshold ?? 0,
    includesInsights: searchPlan.includesInsights,
    description: {
      queries: parameters.query,
      filters: describeFilters(parameters),
      planWindow: describeWindow(plan, searchPlan),
      dataVersion: String(ranks.catalog.version),
      rowCount,
      exportedAtMs: now.getTime(),
      events,
    },
  };
}

function titlesOf(kind: SearchFilter['kind']): Readonly<Record<string, string>> {
  const filters = Object.values<SearchFilter>(SEARCH_FILTERS).filter((filter) => filter.kind === kind);
  return Object.fromEntries(filters.map(({ parameter, title }) => [parameter, title]));
}

export function describeFilters(
  parameters: Readonly<Record<string, unknown>>,
): readonly { name: string; value: string }[] {
  return Object.entries(FILTER_NAMES).flatMap(([parameter, name]) => {
    const value = parameters[parameter];
    if (value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0))
      return [];
    return [{ name, value: Array.isArray(value) ? value.join('; ') : value === true ? 'yes' : String(value) }];
  });
}

export function describeWindow(plan: Plan, { window }: Pick<SearchPlan, 'window'>): string {
  const unit = window[0]?.frequency === 'weekly' ? 'weeks' : 'months';
  const name = `${plan.name.charAt(0).toUpperCase()}${plan.name.slice(1)}`;
  return window.length === 0 ? `${name}: nothing is published yet` : `${name}: the last ${window.length} ${unit}`;
}

async function* countBatches(
  batches: AsyncIterable<readonly SearchRow[]>,
  onRows: ((rowCount: number) => void) | undefined,
): AsyncGenerator<readonly SearchRow[]> {
  let rowCount = 0;
  for await (const rows of batches) {
    yield rows;
    rowCount += rows.length;
    onRows?.(rowCount);
  }
}

async function* noRows(): AsyncGenerator<never> {}
