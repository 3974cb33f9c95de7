// A list of the API as a file: the elements of the list in its order, one row each, all of them or those of one page.
import { RequestError } from '../../domain/error.ts';
import { MAX_EXPORT_ROWS } from '../../domain/export-gate.ts';
import type { Slice } from '../../domain/page.ts';
import type { Period } from '../../domain/period.ts';
import { MAX_SEARCH_LIMIT } from '../../domain/search-query.ts';
import type { RankView, TrendPage } from '../../domain/store.ts';
import type { Column } from '../../export/columns.ts';
import { dataFacts, eventSection } from '../../export/data-facts.ts';
import { FILE_FORMS } from '../../export/export-file.ts';
import type { CellValue, Fact, Table, TableContent } from '../../export/table.ts';
import type { Answer, RequestContext } from '../endpoint.ts';
import { integer, type Parameters } from '../parameters.ts';
import { listChartEvents } from './chart-events.ts';
import { describeWindow } from './export-content.ts';
import { answerFile, fileFormat } from './file-answer.ts';

/** Read from the engine at a time. Each reading looks at the whole list, so there are few; what is read passes through this thread. */
const ROWS_PER_READING = 2_000;

/** Instead of the `limit` of the list. */
export const listExportParameters = {
  limit: integer(`Rows to write. Default: all of them, up to ${MAX_EXPORT_ROWS.toLocaleString('en')}.`, {
    min: 1,
    max: MAX_SEARCH_LIMIT,
    absent: undefined,
  }),
  file_format: fileFormat,
};

/** Fields by name. Those that have no column of their name are not written. */
type Wire = Readonly<Record<string, unknown>>;

export interface ListExport<Row> extends Pick<TableContent, 'sheetName' | 'title' | 'columns'> {
  /** Of the file. */
  readonly name: string;
  /** The periods that it covers, oldest first. */
  readonly periods: readonly Period[];
  readonly window: readonly Period[];
  readonly slice: { readonly offset: number; readonly limit: number | undefined };
  readonly readPage: (slice: Slice) => Promise<TrendPage<Row>>;
  /** An element of the list, as the API answers it. */
  readonly present: (row: Row) => object;
  /** The keywords whose notes on the chart the file tells beside those on every chart. */
  readonly eventTerms?: readonly string[];
  /** The same as values by column; the fields of the element unless given. */
  readonly flatten?: (wire: Wire) => Wire;
}

type ListContext = Pick<RequestContext<Parameters>, 'caller' | 'resources' | 'accept' | 'plan'> & {
  readonly parameters: Readonly<Record<string, unknown>> & {
    readonly limit: number | undefined;
    readonly file_format: 'xlsx' | 'csv' | 'ndjson' | 'parquet' | undefined;
  };
};

/** The view is what the rows are read from; it is closed with the file, or when there is none. */
export async function answerListExport<Row>(
  context: ListContext,
  view: RankView | undefined,
  describe: () => ListExport<Row> | Promise<ListExport<Row>>,
): Promise<Answer> {
  const prepare = async () => {
    const list = await describe();
    return { list, table: await readTable(context, list) };
  };
  const { list, table } = await prepare().catch((error: unknown) => {
    view?.[Symbol.dispose]();
    throw error;
  });
  const { frequency = 'monthly' } = list.window[0] ?? {};
  return await answerFile(context, {
    name: { queries: [list.name], frequency, latestPeriod: list.periods.at(-1) },
    open: (format, place) => {
      const form = FILE_FORMS[format];
      form.check(table);
      return form.open(table, place);
    },
    held: view,
  });
}

/** The first rows are read with the total, so that whatever is wrong is a 400 and no broken file. */
async function readTable<Row>(context: ListContext, list: ListExport<Row>): Promise<Table<Row>> {
  const { offset, limit } = list.slice;
  const first = await list.readPage({ offset, limit: Math.min(limit ?? ROWS_PER_READING, ROWS_PER_READING) });
  const rowCount = Math.max(0, Math.min(limit ?? Number.POSITIVE_INFINITY, first.totalCount - offset));
  if (rowCount > MAX_EXPORT_ROWS) {
    throw new RequestError(
      'INVALID_PARAMETERS',
      `The list has ${rowCount} rows, and an export holds at most ${MAX_EXPORT_ROWS}.`,
      'Narrow the list with filters such as max_rank or query, or export a part of it with limit.',
    );
  }
  const { sheetName, title, columns, present, flatten = (wire) => wire } = list;
  const exportedAtMs = context.resources.now().getTime();
  const events = await listChartEvents(context, { terms: list.eventTerms ?? [], periods: list.periods });
  return {
    ...{ sheetName, title, columns, rowCount, exportedAtMs },
    about: [...describeList(context, { list, rowCount, exportedAtMs }), ...eventSection(events)],
    batches: readBatches(list, { first, rowCount }),
    present,
    valuesOf: (row) => valuesOf(columns, flatten({ ...present(row) })),
  };
}

async function* readBatches<Row>(
  { slice, readPage }: ListExport<Row>,
  { first, rowCount }: { readonly first: TrendPage<Row>; readonly rowCount: number },
): AsyncGenerator<readonly Row[]> {
  yield first.rows;
  for (let done = first.rows.length; done < rowCount; ) {
    const limit = Math.min(ROWS_PER_READING, rowCount - done);
    const { rows } = await readPage({ offset: slice.offset + done, limit });
    // A view is one state, so there are as many as were counted; if not, the writer says so.
    if (rows.length === 0) return;
    yield rows;
    done += rows.length;
  }
}

function valuesOf(columns: readonly Column[], wire: Wire): readonly CellValue[] {
  return columns.map(({ field }) => (wire[field] ?? null) as CellValue);
}

function describeList<Row>(
  { plan, parameters, resources }: ListContext,
  options: { readonly list: ListExport<Row>; readonly rowCount: number; readonly exportedAtMs: number },
): TableContent['about'] {
  const { list, rowCount, exportedAtMs } = options;
  const given = Object.entries(parameters).flatMap(([name, value]): Fact[] => {
    if (value === undefined || value === null || value === false || name === 'file_format') return [];
    const text = Array.isArray(value) ? value.join('; ') : String(value);
    const label = name.replaceAll('_', ' ');
    return text === '' ? [] : [[label.charAt(0).toUpperCase() + label.slice(1), text]];
  });
  const { frequency = 'monthly' } = list.window[0] ?? {};
  const planWindow = describeWindow(plan, list);
  const dataVersion = String(resources.ranks.catalog.version);
  const facts = dataFacts({ rowCount, frequency, periods: list.periods, planWindow, dataVersion, exportedAtMs });
  return [
    { heading: 'List', facts: given },
    { heading: 'Data', facts },
  ];
}
