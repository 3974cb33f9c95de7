import { createInterface } from 'node:readline/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { OperatorError } from '../domain/error.ts';
import { FREQUENCIES, type Frequency, parsePeriodKey, periodKey } from '../domain/period.ts';
import type { RankPublisher, RevisionCatalog } from '../domain/rank-publisher.ts';
import type { KeptRevision, PeriodPlace, PublishedPeriod } from '../domain/store.ts';
import { RANK_SOURCES, type RankSource } from '../domain/store.ts';
import type { ImportStage } from '../ingest/import-request.ts';
import {
  changeRevision,
  describePlace,
  planRestoration,
  planWithdrawal,
  type RevisionChange,
} from '../ingest/revision-change.ts';
import { openProgressLine } from './import-progress-line.ts';
import { asOperator, openPublisher } from './operator.ts';
import { parseMarketplaceFlag } from './option-values.ts';
import { type Columns, count, type JsonFlag, print, printList, shortTime } from './output.ts';
import { tellParent } from './parent-process.ts';
import { openStopSignal } from './stop-signal.ts';

interface ChangeFlags extends JsonFlag {
  readonly type: Frequency;
  readonly marketplace?: string;
  readonly source: RankSource;
  readonly yes?: boolean;
  readonly onlyIf?: number;
}

type Plan = (catalog: RevisionCatalog, place: PeriodPlace) => RevisionChange;

export function registerPeriods(program: Command): void {
  const periods = program
    .command('periods')
    .description('list the published periods, newest first; withdraw one, or bring back an earlier revision')
    .enablePositionalOptions()
    .option('--revisions', 'list the revisions that can be restored instead')
    .option('--json', 'print JSON')
    .action(async ({ revisions, json }: JsonFlag & { revisions?: boolean }) => {
      const { catalog, keepRevisionsMs } = await asOperator(async (operator) => ({
        catalog: await openPublisher(operator).readCatalog(),
        keepRevisionsMs: operator.config.keepRevisionsMs,
      }));
      if (revisions) printRevisions(catalog, { keepRevisionsMs, json });
      else printPeriods(catalog, json);
    });

  addChangeOptions(periods.command('withdraw'))
    .description('take a published period back, as if it had never been published')
    .addHelpText('after', '\nExample:\n  keyrank periods withdraw 28-2026 --type weekly --marketplace US')
    .action((period: string, flags: ChangeFlags) => runChange(period, flags, planWithdrawal));

  addChangeOptions(periods.command('restore-revision'))
    .description('publish a kept revision of a period again; without a number, the one that ended last')
    .argument('[revision]', 'its number, see keyrank periods --revisions', parseRevision)
    .addHelpText('after', '\nExample:\n  keyrank periods restore-revision 28-2026 1 --type weekly --marketplace US')
    .action((period: string, revision: number | undefined, flags: ChangeFlags) =>
      runChange(period, flags, (catalog, place) => planRestoration(catalog, place, revision)),
    );
}

function addChangeOptions(command: Command): Command {
  return command
    .argument('<period>', 'MM-YYYY, or WW-YYYY in ISO weeks')
    .addOption(new Option('--type <frequency>', 'its frequency').choices(FREQUENCIES).makeOptionMandatory())
    .option('--marketplace <code>', 'its marketplace (default: KEYRANK_DEFAULT_MARKETPLACE)', parseMarketplaceFlag)
    .addOption(new Option('--source <source>', 'what its ranks are of').choices(RANK_SOURCES).default('search'))
    .option('--only-if <revision>', 'do nothing unless this revision is the published one', parseRevision)
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON');
}

async function runChange(key: string, flags: ChangeFlags, plan: Plan): Promise<void> {
  const period = parsePeriodKey(key, flags.type);
  if (!period) {
    throw new OperatorError(`There is no ${flags.type} period "${key}".`, {
      hint: 'Months are written MM-YYYY, ISO weeks WW-YYYY.',
    });
  }
  await asOperator(async (operator) => {
    const marketplace = flags.marketplace ?? operator.config.defaultMarketplace;
    const publisher = openPublisher(operator);
    const change = plan(await publisher.readCatalog(), { marketplace, source: flags.source, period });
    if (flags.onlyIf !== undefined) checkPublished(change, flags.onlyIf);
    if (!flags.yes) await confirm(change);
    await carryOut(publisher, change);
    print(presentChange(change), { json: flags.json, lines: [`Done: ${describeChange(change)}`] });
  });
}

function checkPublished({ place, current }: RevisionChange, revision: number): void {
  if (current?.revision === revision) return;
  const now = current ? `revision ${current.revision} is published` : 'it is not published';
  throw new OperatorError(`${describePlace(place)} is no more at revision ${revision}: ${now}.`, {
    hint: 'Nothing was changed.',
  });
}

async function carryOut(publisher: RankPublisher<never>, change: RevisionChange): Promise<void> {
  using stopping = openStopSignal('Stopped. Nothing was changed.');
  using line = openProgressLine(process.stderr);
  const onStage = (stage: ImportStage) => {
    const progress = { file: '', stage, bytesDone: 0, bytesTotal: 0 };
    line.show(progress, Date.now());
    tellParent(progress);
  };
  await changeRevision({ publisher, onStage, signal: stopping.signal }, change);
}

/** Scripts must say that they mean it. */
async function confirm(change: RevisionChange): Promise<void> {
  const what = describeChange(change);
  if (!process.stdin.isTTY) {
    throw new OperatorError(`This needs --yes: ${what}`, { hint: 'Nothing was changed. On a terminal you are asked.' });
  }
  using prompt = closing(createInterface({ input: process.stdin, output: process.stderr }));
  const answer = await prompt.question(`${what}\nGo on? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('Nothing was changed.');
}

function closing<T extends { close(): void }>(resource: T): T & Disposable {
  return Object.assign(resource, { [Symbol.dispose]: () => resource.close() });
}

function describeChange({ place, current, restored, revision }: RevisionChange): string {
  const name = describePlace(place);
  const now =
    current && `revision ${current.revision} of ${name} (${count(current.keywords)} keywords, ${current.sourceFile})`;
  if (!restored) return `${now} is withdrawn.`;
  const { published } = restored;
  const old = `revision ${published.revision} (${count(published.keywords)} keywords, ${published.sourceFile})`;
  return `${now ? `${now} is replaced by` : `${name} comes back as it was in`} ${old}, as revision ${revision}.`;
}

function presentChange({ place, current, restored, revision }: RevisionChange) {
  return {
    action: restored ? 'restore-revision' : 'withdraw',
    marketplace: place.marketplace,
    source: place.source,
    type: place.period.frequency,
    period: periodKey(place.period),
    revision_before: current?.revision ?? null,
    keywords_before: current?.keywords ?? null,
    restored_revision: restored?.published.revision ?? null,
    revision: revision ?? null,
    keywords: restored?.published.keywords ?? null,
  };
}

const COLUMNS: Columns<PublishedPeriod> = {
  MARKETPLACE: ({ marketplace }) => marketplace,
  SOURCE: ({ source }) => source,
  TYPE: ({ period }) => period.frequency,
  PERIOD: ({ period }) => periodKey(period),
  DATES: ({ startDate, endDate }) => `${startDate} to ${endDate}`,
  KEYWORDS: ({ keywords }) => count(keywords),
  REVISION: ({ revision }) => String(revision),
  PUBLISHED: ({ publishedAt }) => shortTime(publishedAt, ''),
};

function printPeriods({ periods }: RevisionCatalog, json: boolean | undefined): void {
  const columns = { ...COLUMNS, WARNINGS: ({ warnings }: PublishedPeriod) => String(warnings.length || '') };
  const none = 'Nothing is published yet. Start with: keyrank import FILE';
  printList(periods.toReversed(), { json, columns, present, none });
}

function printRevisions(
  { keptRevisions }: RevisionCatalog,
  { keepRevisionsMs, json }: { readonly keepRevisionsMs: number; readonly json: boolean | undefined },
): void {
  const untilOf = ({ endedAt }: KeptRevision) => new Date(endedAt.getTime() + keepRevisionsMs);
  const ofPublished = Object.entries(COLUMNS).map(([title, cellOf]) => [
    title,
    ({ published }: KeptRevision) => cellOf(published),
  ]);
  const columns: Columns<KeptRevision> = {
    ...Object.fromEntries(ofPublished),
    ENDED: ({ endedAt }) => shortTime(endedAt, ''),
    BECAUSE: ({ reason }) => reason,
    'KEPT UNTIL': (kept) => shortTime(untilOf(kept), ''),
    FILE: ({ published }) => published.sourceFile,
  };
  const presentKept = (kept: KeptRevision) => ({
    ...present(kept.published),
    ended_at: kept.endedAt,
    reason: kept.reason,
    kept_until: untilOf(kept),
  });
  printList(keptRevisions.toReversed(), { json, columns, present: presentKept, none: 'No earlier revision is kept.' });
}

function present(published: PublishedPeriod) {
  return {
    marketplace: published.marketplace,
    source: published.source,
    type: published.period.frequency,
    period: periodKey(published.period),
    start_date: published.startDate,
    end_date: published.endDate,
    keywords: published.keywords,
    data_points: published.dataPoints,
    revision: published.revision,
    published_at: published.publishedAt,
    source_file: published.sourceFile,
    warnings: published.warnings,
    digest: published.digest,
  };
}

function parseRevision(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('Use the number of a revision, such as 1.');
  return Number(text);
}
