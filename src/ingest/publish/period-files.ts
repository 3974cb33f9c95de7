// A period becomes files: the new entries of the dictionaries, and the segment with its rows.
import { join } from 'node:path';
import { allDone } from '../../domain/containment.ts';
import { OperatorError } from '../../domain/error.ts';
import type { FileStore } from '../../domain/file-store.ts';
import type { StageOptions } from '../../domain/rank-publisher.ts';
import type { PeriodPlace, PublishedPeriod } from '../../domain/store.ts';
import {
  DICTIONARY_KINDS,
  type DictionaryDelta,
  type DictionaryKind,
  listDictionary,
  type Manifest,
  type PreparedPeriod,
  type StoredPeriod,
} from '../../snapshot/manifest/manifest.ts';
import type { SessionRows } from '../session-rows.ts';
import { dictionaryPath, segmentPath } from './data-directory.ts';
import { writeDelta } from './dictionary-delta.ts';
import { type KnownDictionary, numberEntries } from './dictionary-ids.ts';
import { describeFile, writeDurably } from './durable-file.ts';
import { keepsTexts, writeSegment } from './segment.ts';
import type { VerifiedFiles } from './verified-files.ts';

const MAX_CATEGORIES = 65_535;

export interface FilesRequest {
  readonly rows: SessionRows;
  /** With all that was prepared before. */
  readonly manifest: Manifest;
  readonly verified: VerifiedFiles;
  readonly dataDirectory: string;
  readonly storage: FileStore;
}

interface NumberedDictionary {
  readonly known: KnownDictionary;
  readonly sequence: number;
  readonly newEntries: number;
}

export type NumberedDictionaries = ReadonlyMap<DictionaryKind, NumberedDictionary>;

export async function writePeriodFiles(
  request: FilesRequest,
  {
    period,
    numbered,
    onStage,
  }: StageOptions & { readonly period: PublishedPeriod; readonly numbered: Promise<NumberedDictionaries> },
): Promise<{ readonly prepared: PreparedPeriod; readonly newTerms: number }> {
  const { rows, dataDirectory } = request;
  onStage('numbering');
  const dictionaryIds = await numbered;
  onStage('writing');
  // While one file is forced to disk, the other is made.
  const [dictionaries, segment] = await allDone([
    writeDictionaries(request, { ...period, numbered: dictionaryIds }),
    writeDurably({ dataDirectory, path: segmentPath(period) }, (path) =>
      writeSegment(rows.session, { path, kinds: kindsOf(rows) }),
    ),
  ]);
  return {
    prepared: { period: { ...period, segment }, dictionaries },
    newTerms: dictionaryIds.get('terms')?.newEntries ?? 0,
  };
}

/**
 * The same report again is the way to repair a segment that was damaged or lost, and to give one of an earlier version the titles
 * and spellings of its report.
 */
export async function isSegmentIntact(
  { segment }: StoredPeriod,
  { rows, dataDirectory, storage }: Pick<FilesRequest, 'rows' | 'dataDirectory' | 'storage'>,
): Promise<boolean> {
  if (await storage.findFault(segment)) return false;
  await storage.ensure([segment]);
  const path = join(dataDirectory, segment.path);
  const found = await describeFile(path).catch(() => undefined);
  if (found?.sha256 !== segment.sha256) return false;
  return !rows.hasProducts || (await keepsTexts(rows.session, path));
}

export async function numberDictionaries(
  request: FilesRequest,
  { marketplace }: Pick<PeriodPlace, 'marketplace'>,
): Promise<NumberedDictionaries> {
  const kinds = kindsOf(request.rows);
  const deltasOf = (kind: DictionaryKind) => listDictionary(request.manifest, { marketplace, kind });
  const verify = async (kind: DictionaryKind): Promise<void> => {
    for (const { file } of deltasOf(kind)) await request.verified.check(file);
  };
  // All at once, so that the files of one dictionary are verified while the entries of another are numbered.
  const verified = new Map(kinds.map((kind) => [kind, verify(kind)]));
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
    const newEntries = await numberEntries(request.rows.session, { kind, known });
    if (kind === 'categories') checkCategories(known.nextId + newEntries);
    return { known, sequence: (last?.sequence ?? 0) + 1, newEntries };
  };
  // The large ones one after the other, for the sake of memory; each uses all threads. The small ones fill what gaps they leave.
  const numberAll = async (some: readonly DictionaryKind[]): Promise<NumberedDictionaries> => {
    const numbered = new Map<DictionaryKind, NumberedDictionary>();
    for (const kind of some) numbered.set(kind, await number(kind));
    return numbered;
  };
  const isSmall = (kind: DictionaryKind) => kind === 'brands' || kind === 'categories';
  const [large, small] = await allDone([
    numberAll(kinds.filter((kind) => !isSmall(kind))),
    numberAll(kinds.filter(isSmall)),
    ...verified.values(),
  ]);
  return new Map([...large, ...small]);
}

/** Those whose entries the report names: one of ranks alone has terms and nothing else. */
function kindsOf({ hasProducts }: SessionRows): readonly DictionaryKind[] {
  return hasProducts ? DICTIONARY_KINDS : ['terms'];
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
  { rows, dataDirectory }: FilesRequest,
  { marketplace, numbered }: Pick<PeriodPlace, 'marketplace'> & { readonly numbered: NumberedDictionaries },
): Promise<readonly DictionaryDelta[]> {
  const deltas: DictionaryDelta[] = [];
  for (const [kind, { known, sequence, newEntries }] of numbered) {
    if (newEntries === 0) continue;
    const file = await writeDurably({ dataDirectory, path: dictionaryPath({ marketplace, kind, sequence }) }, (path) =>
      writeDelta(rows.session, { kind, path }),
    );
    deltas.push({ marketplace, kind, sequence, nextId: known.nextId + newEntries, file });
  }
  return deltas;
}
