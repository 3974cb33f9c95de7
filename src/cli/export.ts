import { open, rename, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { openRankSet } from '../boot/served-data.ts';
import { OperatorError, RequestError } from '../domain/error.ts';
import { errorCode } from '../domain/error-code.ts';
import { FILE_FORMATS, type FileFormat } from '../domain/keyword-export.ts';
import { OWNER } from '../domain/plan.ts';
import { type Parameter, type ParameterValues, parseParameters } from '../http/parameters.ts';
import { type PreparedExport, prepareExport } from '../http/v1/export-content.ts';
import { exportParameters } from '../http/v1/search-parameters.ts';
import { ResourceStack } from '../resource-stack.ts';
import { openExportProgress } from './export-progress.ts';
import { asOperator, type Operator } from './operator.ts';
import { count, type JsonFlag } from './output.ts';
import { openStopSignal } from './stop-signal.ts';

type Values = ParameterValues<typeof exportParameters>;
type Flags = Readonly<Record<string, unknown>> & JsonFlag & { readonly out?: string };

const EXAMPLES = `
The options are the parameters of GET /v1/search/keywords/export, with the same rules. The operator sees what the plan Studio
sees: all months and the last six weeks. The file appears under its name when it is complete.

Examples:
  keyrank export "running shoes" --out shoes.xlsx
  keyrank export usb lamp --type weekly --brand Anker --max-rank 50000 --format delta --out movers.csv
  keyrank export "running shoes" --file-format ndjson | head`;

export function registerExport(program: Command): void {
  const command = program
    .command('export')
    .description('write the rows of a search as a spreadsheet, CSV, NDJSON or Parquet')
    .argument('<query...>', 'one or more keywords; several are OR-ed');
  for (const [name, parameter] of Object.entries(exportParameters)) {
    if (name !== 'query') command.addOption(optionOf(name, parameter));
  }
  command
    .option('--out <file>', 'file to write, in the form that its ending says; default: standard output')
    .option('--json', 'print the summary as JSON; it goes to standard error where the rows go to standard output')
    .addHelpText('after', EXAMPLES)
    .action(async (queries: readonly string[], flags: Flags) => {
      await exportRows(queries, flags).catch((error: unknown) => {
        throw explained(error);
      });
    });
}

async function exportRows(queries: readonly string[], flags: Flags): Promise<void> {
  const values = parseFlags(queries, flags);
  const fileFormat = values.file_format ?? formatOf(flags.out) ?? 'xlsx';
  if (flags.out === undefined && process.stdout.isTTY && (fileFormat === 'xlsx' || fileFormat === 'parquet')) {
    throw new OperatorError(`A file of the form ${fileFormat} is no text for a terminal.`, {
      hint: 'Name a file with --out, or choose --file-format csv.',
    });
  }
  const summary = await asOperator((operator) => runExport(operator, { values, fileFormat, out: flags.out }));
  const line = `${count(summary.rows)} rows, ${(summary.size_bytes / 1e6).toFixed(1)} MB in ${(summary.duration_ms / 1000).toFixed(1)} s`;
  const text = flags.json ? JSON.stringify(summary, null, 2) : flags.out === undefined ? line : `${flags.out}: ${line}`;
  (flags.out === undefined ? console.error : console.log)(text);
}

/** A parameter of the endpoint as an option: `min_rank` is --min-rank. */
function optionOf(name: string, { schema, list }: Parameter<unknown>): Option {
  const { description = '', type, enum: choices } = schema as { description?: string; type?: string; enum?: string[] };
  const value = type === 'boolean' ? '' : list ? ' <text...>' : type === 'integer' ? ' <number>' : ' <text>';
  const allowed = choices ? ` One of: ${choices.join(', ')}.` : '';
  return new Option(`--${flagOf(name)}${value}`, description + allowed);
}

/** Through the parser of the endpoint, so that what it accepts and refuses is the same. */
function parseFlags(queries: readonly string[], flags: Flags): Values {
  const given = new URLSearchParams(queries.map((query): [string, string] => ['query', query]));
  for (const name of Object.keys(exportParameters)) {
    const value = flags[flagOf(name).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())];
    for (const each of Array.isArray(value) ? value : value === undefined ? [] : [value])
      given.append(name, String(each));
  }
  return parseParameters(exportParameters, given.toString());
}

interface ExportOrder {
  readonly values: Values;
  readonly fileFormat: FileFormat;
  readonly out: string | undefined;
}

async function runExport(operator: Operator, { values, fileFormat, out }: ExportOrder) {
  const startMs = performance.now();
  using stopping = openStopSignal('The export was stopped. No file was written.');
  await using opened = new ResourceStack();
  using prepared = await openExport(operator, { opened, values, signal: stopping.signal });
  using progress = openExportProgress(process.stderr, performance.now());
  const { rowCount } = prepared.content.description;
  const temporaryDirectory = join(operator.config.dataDirectory, 'exports');
  const onRows = (done: number) => progress.show({ done, total: rowCount, nowMs: performance.now() });
  const body = prepared.open(fileFormat, { temporaryDirectory, onRows });
  const sizeBytes = await writeOut(body, { out, signal: stopping.signal });
  return {
    file: out ?? null,
    file_format: fileFormat,
    rows: rowCount,
    size_bytes: sizeBytes,
    duration_ms: Math.round(performance.now() - startMs),
  };
}

async function openExport(
  { config, pool }: Operator,
  { opened, values, signal }: { readonly opened: ResourceStack; readonly values: Values; readonly signal: AbortSignal },
): Promise<PreparedExport> {
  const { defaultMarketplace } = config;
  const marketplace = values.marketplace ?? defaultMarketplace;
  const set = { marketplace, frequency: values.type, source: 'search' } as const;
  const store = await openRankSet({ config, pool, set, opened });
  const ranks = {
    catalog: store.catalog,
    defaultMarketplace,
    checkRoom: store.checkRoom.bind(store),
    openView: store.openView.bind(store),
  };
  return await prepareExport({ parameters: values, plan: OWNER, ranks, now: new Date(), signal });
}

/** Under another name until it is complete: whoever finds the file finds all of it. */
async function writeOut(
  body: Readable,
  { out, signal }: { readonly out: string | undefined; readonly signal: AbortSignal },
): Promise<number> {
  let sizeBytes = 0;
  async function* measured(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      yield chunk;
    }
  }
  if (out === undefined) {
    await pipeline(body, measured, process.stdout, { signal, end: false }).catch(ignoreClosedPipe);
    return sizeBytes;
  }
  const partial = `${out}.${process.pid}.partial`;
  try {
    const file = await open(partial, 'wx').catch((cause: unknown) => {
      throw new OperatorError(`The file ${out} cannot be written.`, {
        hint: 'Check the path and its permissions.',
        cause,
      });
    });
    await pipeline(body, measured, file.createWriteStream({ flush: true }), { signal });
    await rename(partial, out);
  } catch (error) {
    body.destroy();
    await rm(partial, { force: true });
    throw signal.aborted ? signal.reason : error;
  }
  return sizeBytes;
}

/** A reader such as `head` that has seen enough is no failure. */
function ignoreClosedPipe(error: unknown): void {
  const code = errorCode(error);
  if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

function formatOf(path: string | undefined): FileFormat | undefined {
  const ending = extname(path ?? '')
    .slice(1)
    .toLowerCase();
  return FILE_FORMATS.find((format) => format === ending);
}

/** What the endpoint says of a parameter, in the words of the command line. */
function explained(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const { message, hint, parameter } = error;
  if (!parameter) return new OperatorError(message, hint === undefined ? {} : { hint });
  const { name, fault, example } = parameter;
  const option = name === 'query' ? '<query>' : `--${flagOf(name)}`;
  const advice = example === undefined ? hint : `Use for example ${option} ${example}.`;
  const subject = name === 'query' ? 'Argument' : 'Option';
  return new OperatorError(`${subject} ${option} ${fault}`, advice === undefined ? {} : { hint: advice });
}

function flagOf(name: string): string {
  return name.replaceAll('_', '-');
}
