import { join } from 'node:path';
import { allDone } from '../domain/containment.ts';
import { OperatorError } from '../domain/error.ts';
import {
  type DictionaryDelta,
  type DictionaryKind,
  listDictionary,
  listPeriods,
  type Manifest,
  nextRevision,
  type PreparedPeriod,
  type PublishedPeriod,
} from '../domain/manifest.ts';
import { isSamePeriod, periodDates } from '../domain/period.ts';
import type { RankSource } from '../domain/store.ts';
import { dictionaryPath, segmentPath } from './data-directory.ts';
import { writeDelta } from './dictionary-delta.ts';
import { type KnownDictionary, numberEntries } from './dictionary-ids.ts';
import type { DuckDbSession } from './duckdb-session.ts';
import { describeFile, writeDurably } from './durable-file.ts';
import type { PeriodOutcome } from './import-outcome.ts';
import type { ImportStage } from './import-request.ts';
import { type FilePeriod, selectPeriod, summarize } from './reading/period-rows.ts';
import { keepsTexts, writeSegment } from './segment.ts';
import { sizeWarning } from './size-warning.ts';
import type { VerifiedFiles } from './verified-files.ts';

const MAX_CATEGORIES = 65_535;

export interface PeriodRequest {
  readonly session: DuckDbSession;
  readonly filePeriod: FilePeriod;
  readonly marketplace: string;
  readonly source: RankSource;
  readonly sourceFile: string;
  readonly warnings: readonly string[];
  /** Those whose entries the report names: one of ranks alone has terms and nothing else. */
  readonly kinds: readonly DictionaryKind[];
  readonly isDryRun: boolean;
  /** With all that was prepared before. */
  readonly manifest: Manifest;
  readonly verified: VerifiedFiles;
  readonly dataDirectory: string;
  readonly onStage: (stage: ImportStage) => void;
  readonly now: () => Date;
}

/** Undefined when there is nothing to publish: the period is unchanged, or this is a dry run. */
export async function preparePeriod(
  request: PeriodRequest,
): Promise<{ readonly outcome: PeriodOutcome; readonly prepared?: PreparedPeriod }> {
  const { session, filePeriod, marketplace, source, manifest } = request;
  const { period } = filePeriod;
  request.onStage('checking');
  await selectPeriod(session, filePeriod);
  const published = listPeriods(manifest, { marketplace, source, frequency: period.frequency });
  const current = published.find((candidate) => isSamePeriod(candidate.period, period));
  // What is not published yet can only be new, so that nothing has to wait for the digest.
  const early = current || request.isDryRun ? undefined : numberDictionaries(request);
  const [{ keywords, dataPoints, digest }] = await allDone([summarize(session), early]);
  if (current?.digest === digest && (await isIntact(current, request))) {
    const { revision, warnings } = current;
    const unchanged = { marketplace, source, period, revision, keywords, dataPoints, digest, warnings };
    return { outcome: { ...unchanged, status: 'unchanged' } };
  }
  const unusual = sizeWarning({ keywords, period, published });
  const warnings = unusual === undefined ? request.warnings : [...request.warnings, unusual];
  const revision = nextRevision(manifest, { marketplace, source, period });
  const outcome = { marketplace, source, period, revision, keywords, dataPoints, digest, warnings };
  if (request.isDryRun) return { outcome: { ...outcome, status: 'checked' } };

  request.onStage('numbering');
  const numbered = await (early ?? numberDictionaries(request));
  request.onStage('writing');
  // While one file is forced to disk, the other is made.
  const [dictionaries, segment] = await allDone([
    writeDictionaries(request, numbered),
    writeDurably(
      { dataDirectory: request.dataDirectory, path: segmentPath({ marketplace, source, period, revision }) },
      (path) => writeSegment(session, { path, kinds: request.kinds }),
    ),
  ]);
  const { start, end } = periodDates(period);
  const publishedPeriod: PublishedPeriod = {
    ...{ marketplace, source, period, revision, keywords, dataPoints, digest, warnings, segment },
    startDate: start,
    endDate: end,
    publishedAt: request.now(),
    sourceFile: request.sourceFile,
  };
  return {
    outcome: { ...outcome, status: 'published', newTerms: numbered.get('terms')?.newEntries ?? 0 },
    prepared: { period: publishedPeriod, dictionaries },
  };
}

/**
 * The same report again is the way to repair a segment that was damaged or lost, and to give one of an earlier version the titles
 * and spellings of its report.
 */
async function isIntact({ segment }: PublishedPeriod, request: PeriodRequest): Promise<boolean> {
  const path = join(request.dataDirectory, segment.path);
  const found = await describeFile(path).catch(() => undefined);
  if (found?.sha256 !== segment.sha256) return false;
  return !request.kinds.includes('products') || (await keepsTexts(request.session, path));
}

interface NumberedDictionary {
  readonly known: KnownDictionary;
  readonly sequence: number;
  readonly newEntries: number;
}

type NumberedDictionaries = ReadonlyMap<DictionaryKind, NumberedDictionary>;

async function numberDictionaries(request: PeriodRequest): Promise<NumberedDictionaries> {
  const deltasOf = (kind: DictionaryKind) =>
    listDictionary(request.manifest, { marketplace: request.marketplace, kind });
  const verify = async (kind: DictionaryKind): Promise<void> => {
    for (const { file } of deltasOf(kind)) await request.verified.check(file);
  };
  // All at once, so that the files of one dictionary are verified while the entries of another are numbered.
  const verified = new Map(request.kinds.map((kind) => [kind, verify(kind)]));
  const number = async (kind: DictionaryKind): Promise<NumberedDictionary> => {
    await verified.get(kind);
    const deltas = deltasOf(kind);
    const last = deltas.at(-1);
    const known = {
      deltas: deltas.map(({ file }, i) => ({
        path: join(request.dataDirectory, file.path),
        firstId: deltas[i - 1]?.nextId ?? 0,
      })),
      nextId: last?.nextId ?? 0,
    };
    const newEntries = await numberEntries(request.session, { kind, known });
    if (kind === 'categories') checkCategories(known.nextId + newEntries);
    return { known, sequence: (last?.sequence ?? 0) + 1, newEntries };
  };
  // The large ones one after the other, for the sake of memory; each uses all threads. The small ones fill what gaps they leave.
  const numberAll = async (kinds: readonly DictionaryKind[]): Promise<NumberedDictionaries> => {
    const numbered = new Map<DictionaryKind, NumberedDictionary>();
    for (const kind of kinds) numbered.set(kind, await number(kind));
    return numbered;
  };
  const isSmall = (kind: DictionaryKind) => kind === 'brands' || kind === 'categories';
  const [large, small] = await allDone([
    numberAll(request.kinds.filter((kind) => !isSmall(kind))),
    numberAll(request.kinds.filter(isSmall)),
    ...verified.values(),
  ]);
  return new Map([...large, ...small]);
}

/** Snapshots have 16 bits for a category; there are about a hundred. */
function checkCategories(count: number): void {
  if (count <= MAX_CATEGORIES) return;
  throw new OperatorError(
    `With this report there would be ${count.toLocaleString('en-US')} categories, more than ${MAX_CATEGORIES.toLocaleString('en-US')}.`,
    { hint: 'Nothing was changed. Its category columns do not hold categories: download the report again.' },
  );
}

async function writeDictionaries(
  { session, marketplace, dataDirectory }: PeriodRequest,
  numbered: NumberedDictionaries,
): Promise<readonly DictionaryDelta[]> {
  const deltas: DictionaryDelta[] = [];
  for (const [kind, { known, sequence, newEntries }] of numbered) {
    if (newEntries === 0) continue;
    const file = await writeDurably({ dataDirectory, path: dictionaryPath({ marketplace, kind, sequence }) }, (path) =>
      writeDelta(session, { kind, path }),
    );
    deltas.push({ marketplace, kind, sequence, nextId: known.nextId + newEntries, file });
  }
  return deltas;
}
