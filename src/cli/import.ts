import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDownloadFileName } from '../domain/download.ts';
import { OperatorError } from '../domain/error.ts';
import { FREQUENCIES, type Frequency, periodKey } from '../domain/period.ts';
import { RANK_SOURCES, type RankSource } from '../domain/store.ts';
import { AMAZON_JSON } from '../ingest/formats/amazon-json.ts';
import { REPORT_FORMATS } from '../ingest/formats/known-formats.ts';
import { DEFAULT_MAX_REJECTS, DEFAULT_MEMORY_LIMIT_BYTES } from '../ingest/import-request.ts';
import type { ReportFlags } from '../ingest/reading/report-period.ts';
import { listListeners } from '../postgres/listener.ts';
import { giveWay } from './give-way.ts';
import { openProgressLine } from './import-progress-line.ts';
import { describeOutcome, presentOutcome } from './import-summary.ts';
import { asOperator, openPublisher } from './operator.ts';
import { parseMarketplaceFlag } from './option-values.ts';
import { type JsonFlag, print } from './output.ts';
import { tellParent } from './parent-process.ts';
import { openStopSignal } from './stop-signal.ts';

interface ImportFlags extends JsonFlag {
  readonly marketplace?: string;
  readonly type?: Frequency;
  readonly period?: string;
  readonly strict?: boolean;
  readonly source: RankSource;
  readonly dryRun?: boolean;
  readonly maxRejects: number;
  readonly replaceSmaller?: boolean;
  readonly threads?: number;
  readonly memory: number;
  readonly urgent?: boolean;
  readonly fetched?: boolean;
}

const EXAMPLES = `
Format, marketplace, frequency and period are recognised from the content and the name of each file.

Examples:
  keyrank import US_Top_Search_Terms_Simple_Week_2026_07_11.csv
  keyrank import reports/*.csv.gz
  keyrank import ranks.csv --source social --marketplace US`;

export function registerImport(program: Command): void {
  program
    .command('import')
    .description('import report files and publish their periods')
    .argument('<file...>', `${REPORT_FORMATS.map(({ name }) => name).join('; ')}; .gz too`)
    .option('--marketplace <code>', 'marketplace of all files, such as US', parseMarketplaceFlag)
    .addOption(new Option('--type <frequency>', 'frequency of all files').choices(FREQUENCIES))
    .option('--period <key>', 'period of the file: MM-YYYY, or WW-YYYY in ISO weeks')
    .option('--strict', 'refuse a file whose content names another marketplace, frequency or period than these options')
    .addOption(new Option('--source <source>', 'what the ranks are of').choices(RANK_SOURCES).default('search'))
    .option('--dry-run', 'read and check everything, publish nothing')
    .addOption(
      new Option('--max-rejects <percent>', 'share of bad rows above which a file is refused')
        .argParser(parsePercent)
        .default(DEFAULT_MAX_REJECTS, `${DEFAULT_MAX_REJECTS * 100} %`),
    )
    .option('--replace-smaller', 'let a file replace a published period that has more than twice its keywords')
    .option(
      '--threads <count>',
      'threads to work with (default: one per processor core, beside a server one fewer)',
      parseCount,
    )
    .option('--memory <megabytes>', 'memory for reading and sorting', parseCount, DEFAULT_MEMORY_LIMIT_BYTES / 1e6)
    .option('--urgent', 'do not give way to servers and whatever else runs on this machine')
    // For servers: what they fetched is nothing but what its name says, and is published in one step.
    .addOption(new Option('--fetched', 'files that a server fetched from Amazon').hideHelp())
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (files: readonly string[], flags: ImportFlags) => {
      const outcomes = await runImport(files, flags);
      print(outcomes.map(presentOutcome), { json: flags.json, lines: outcomes.flatMap(describeOutcome) });
      const failed = outcomes.filter((outcome) => outcome.status === 'failed');
      if (failed.length === 0) return;
      throw new OperatorError(
        failed.length === 1 && files.length === 1
          ? (failed[0]?.error?.message ?? 'The import failed.')
          : `${failed.length} of ${files.length} files were not imported.`,
        { ...(failed.length === 1 && failed[0]?.error?.hint !== undefined && { hint: failed[0].error.hint }) },
      );
    });
}

async function runImport(files: readonly string[], flags: ImportFlags) {
  using stopping = openStopSignal('The import was stopped. Nothing of the last file was changed.');
  using line = openProgressLine(process.stderr);
  return await asOperator(async (operator) => {
    const { config, pool } = operator;
    if (!flags.urgent) {
      giveWay({ leavesCore: flags.threads === undefined && (await listListeners(pool)).length > 0 });
    }
    // Takes half a second of a core, which is to give way too.
    const { importReports } = await import('../ingest/importer.ts');
    return await importReports({
      files: files.map((path) => ({
        path,
        source: flags.source,
        ...(flags.fetched && { flags: flagsOfFetched(path) }),
      })),
      publishTogether: flags.fetched === true,
      options: {
        flags: {
          ...(flags.marketplace !== undefined && { marketplace: flags.marketplace }),
          ...(flags.type !== undefined && { frequency: flags.type }),
          ...(flags.period !== undefined && { period: flags.period }),
          isStrict: flags.strict === true,
        },
        isDryRun: flags.dryRun === true,
        maxRejects: flags.maxRejects,
        limits: config.reportLimits,
        replacesSmaller: flags.replaceSmaller === true,
        defaultMarketplace: config.defaultMarketplace,
        threads: flags.threads ?? availableParallelism(),
        memoryLimitBytes: flags.memory * 1e6,
        ...(flags.fetched && { formats: [AMAZON_JSON] }),
      },
      publisher: openPublisher(operator),
      dataDirectory: config.dataDirectory,
      onProgress: (progress) => {
        line.show(progress, Date.now());
        tellParent(progress);
      },
      onWarning: (message) => line.warn(message),
      now: () => new Date(),
      signal: stopping.signal,
    });
  });
}

function flagsOfFetched(path: string): ReportFlags {
  const expected = parseDownloadFileName(basename(path));
  if (!expected) throw new OperatorError(`${path} is not named as a server names what it fetched.`);
  const { marketplace, period } = expected;
  return { marketplace, frequency: period.frequency, period: periodKey(period), isStrict: true };
}

function parsePercent(text: string): number {
  const percent = Number(text.replace(/\s*%$/, ''));
  if (text.trim() === '' || !(percent >= 0 && percent <= 100))
    throw new InvalidArgumentError('Use a percentage from 0 to 100.');
  return percent / 100;
}

function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,6}$/.test(text)) throw new InvalidArgumentError('Use a whole number from 1.');
  return Number(text);
}
