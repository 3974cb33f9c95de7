import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import { MAX_EXPORT_ROWS, MAX_RUNNING_EXPORTS } from '../../domain/export-gate.ts';
import { parseMarketplace } from '../../domain/published-ranks.ts';
import { planSearch, type SearchPlan } from '../../domain/search-plan.ts';
import type { RankView } from '../../domain/store.ts';
import { FILE_FORMS, type FileFormat } from '../../xlsx/export-file.ts';
import { attachmentHeader, exportFileName } from '../../xlsx/file-name.ts';
import { type Answer, defineEndpoint, type RequestContext } from '../endpoint.ts';
import { describeExport } from './export-content.ts';
import { exportParameters } from './search-parameters.ts';
import { toSearchQuery } from './search-query-parameters.ts';

const RETRY_AFTER_BUSY_SECONDS = 5;

/** Spec 4.2. */
export const exportKeywords = defineEndpoint({
  method: 'GET',
  path: '/v1/search/keywords/export',
  operationId: 'exportKeywords',
  summary: 'Export keywords',
  description:
    'The rows of the same search, in the same order, as a spreadsheet. Not counted in the hourly limit; counted on the ' +
    `exports meter. At most ${MAX_RUNNING_EXPORTS} at a time per organization, then 429.`,
  tag: 'Search',
  scope: 'export',
  parameters: exportParameters,
  success: {
    contentType: FILE_FORMS.xlsx.contentType,
    schema: Type.Unsafe({ type: 'string', format: 'binary' }),
  },
  handle: async (context) => {
    const { parameters, plan, resources } = context;
    const marketplace = parseMarketplace(parameters.marketplace, resources.ranks);
    const query = toSearchQuery({ ...parameters, marketplace, limit: parameters.limit ?? MAX_EXPORT_ROWS });
    const view = resources.ranks.openView({ marketplace, frequency: query.frequency, source: 'search' });
    try {
      const searchPlan = planSearch(query, { plan, published: view?.periods ?? [] });
      const rowCount = await countRows(context, { view, searchPlan });
      const answer = await openExport(context, { view, searchPlan, rowCount });
      // From here on the stream closes the view, whatever becomes of it.
      answer.body.once('close', () => view?.[Symbol.dispose]());
      return answer;
    } catch (error) {
      view?.[Symbol.dispose]();
      throw error;
    }
  },
});

type ExportContext = RequestContext<typeof exportParameters>;

interface PlannedExport {
  readonly view: RankView | undefined;
  readonly searchPlan: SearchPlan;
}

async function countRows({ parameters, signal }: ExportContext, { view, searchPlan }: PlannedExport): Promise<number> {
  if (!view) return 0;
  const { totalCount } = await view.searchPage({ ...searchPlan, offset: 0, limit: 1 }, { signal });
  if (parameters.limit === undefined && totalCount > MAX_EXPORT_ROWS) {
    throw new RequestError(
      'INVALID_PARAMETERS',
      `The search has ${totalCount} results, and an export holds at most ${MAX_EXPORT_ROWS}.`,
      'Narrow the search with filters such as max_rank or brand, or export it page by page with limit and page.',
    );
  }
  return Math.max(0, Math.min(searchPlan.limit, totalCount - searchPlan.offset));
}

async function openExport(
  context: ExportContext,
  { view, searchPlan, rowCount }: PlannedExport & { readonly rowCount: number },
): Promise<Answer & { readonly body: Readable }> {
  const { parameters, caller, resources } = context;
  const fileFormat = parameters.file_format ?? acceptedFormat(context.accept);
  const batches = view ? view.listRows(searchPlan, { signal: context.signal }) : noRows();
  const input = { ...describeExport(context, { searchPlan, rowCount }), batches };
  // Whatever the form refuses it refuses here, before a place is taken and counted.
  const { contentType, open } = FILE_FORMS[fileFormat];
  const body = open(input);
  const place = await resources.exports.enter(caller).catch((error: unknown) => {
    body.destroy();
    throw error;
  });
  if (!place) {
    body.destroy();
    throw tooManyExports();
  }
  body.once('close', () => void place[Symbol.asyncDispose]());
  const fileName = exportFileName({
    queries: parameters.query,
    frequency: parameters.type,
    latestPeriod: searchPlan.window.at(-1),
    extension: fileFormat,
  });
  return { contentType, headers: { 'content-disposition': attachmentHeader(fileName) }, body };
}

function tooManyExports(): RequestError {
  return new RequestError(
    'RATE_LIMIT_EXCEEDED',
    `The organization has ${MAX_RUNNING_EXPORTS} exports running already.`,
    'Wait until one of them is done.',
    { retryAfterSeconds: RETRY_AFTER_BUSY_SECONDS },
  );
}

/** The Accept header decides only where no parameter does; a browser's list of everything means the spreadsheet. */
function acceptedFormat(accept: string | undefined): FileFormat {
  const wanted = (accept ?? '').toLowerCase();
  if (wanted.startsWith('text/csv')) return 'csv';
  return wanted.startsWith('application/x-ndjson') ? 'ndjson' : 'xlsx';
}

async function* noRows(): AsyncGenerator<never> {}
