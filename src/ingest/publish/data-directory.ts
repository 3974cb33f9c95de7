// What lies where in the data directory, and the removal of what an interrupted import left behind.
import type { Dirent } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { ifMissing } from '../../domain/error-code.ts';
import { type FileStore, objectOf, PART_ENDING } from '../../domain/file-store.ts';
import type { Period } from '../../domain/period.ts';
import type { RankSet } from '../../domain/store.ts';
import type { Queryable } from '../../postgres/pool.ts';
import { type DictionaryKind, listStoredFiles, type Manifest } from '../../snapshot/manifest/manifest.ts';
import { forgetRevisions, loadManifest } from '../../snapshot/manifest/manifest-rows.ts';
import { claimStorage, findLeftObjects } from './claimed-storage.ts';
import { makeDirectory, syncDirectory, syncFile } from './durable-file.ts';

/** Everything in these belongs to the manifest, or is left over. */
const DATA_DIRECTORIES = ['segments', 'dictionaries', 'snapshots'] as const;
const TEMPORARY_DIRECTORY = 'tmp';
const IDENTITY_FILE = 'rank-data-id';
/** A transfer that broke is continued within this time. */
const KEEP_PARTS_MS = 3_600_000;

export function segmentPath(place: {
  readonly marketplace: string;
  readonly source: string;
  readonly period: Period;
  readonly revision: number;
}): string {
  const { frequency, year, number } = place.period;
  const name = `${place.source}-${frequency}-${year}-${String(number).padStart(2, '0')}-r${place.revision}.parquet`;
  return `segments/${place.marketplace}/${name}`;
}

export function dictionaryPath(place: {
  readonly marketplace: string;
  readonly kind: DictionaryKind;
  readonly sequence: number;
}): string {
  // Padded, so that the order of names is the order of deltas.
  return `dictionaries/${place.marketplace}/${place.kind}-${String(place.sequence).padStart(5, '0')}.parquet`;
}

export function snapshotPath({ set, version }: { readonly set: RankSet; readonly version: number }): string {
  return `snapshots/${set.marketplace}/${set.source}-${set.frequency}-${version}`;
}

export function temporaryPath(dataDirectory: string): string {
  return join(dataDirectory, TEMPORARY_DIRECTORY);
}

/**
 * Ties a data directory to the manifest of its database. Sweeping removes what the manifest does not know, so that with
 * the wrong database it would remove everything.
 */
export async function claimDataDirectory({
  dataDirectory,
  manifest,
}: {
  readonly dataDirectory: string;
  readonly manifest: Manifest;
}): Promise<void> {
  // An unreadable file must not make the directory look like another manifest's.
  const text = await readFile(join(dataDirectory, IDENTITY_FILE), 'utf8').catch(ifMissing(''));
  const owners = text.split('\n').filter(Boolean);
  if (owners.includes(manifest.id)) {
    if (owners.length > 1) await writeOwners(dataDirectory, [manifest.id]);
    // Whoever wrote it may have died before it was durable; the files that come now must not outlive it.
    else await syncDirectory(dataDirectory);
    return;
  }
  const files = await listDataFiles(dataDirectory);
  const isKnown = listStoredFiles(manifest).some((stored) => files.includes(stored.path));
  if (files.length > 0 && (owners.length > 0 || !isKnown)) {
    throw new OperatorError(`${dataDirectory} holds rank data that this database does not know.`, {
      hint: 'Check DATABASE_URL and KEYRANK_DATA_DIR: together they must be the pair that the data was imported with.',
    });
  }
  await writeOwners(dataDirectory, [manifest.id]);
}

/**
 * While a restore is under way the directory belongs to the manifest before it and to the one after it: whichever the
 * database has after a crash, the directory is its own.
 */
export async function writeOwners(dataDirectory: string, manifestIds: readonly string[]): Promise<void> {
  const path = join(dataDirectory, IDENTITY_FILE);
  await makeDirectory(dataDirectory, { isPrivate: true });
  await writeFile(`${path}.tmp`, manifestIds.map((id) => `${id}\n`).join(''));
  await syncFile(`${path}.tmp`);
  await rename(`${path}.tmp`, path);
  await syncDirectory(dataDirectory);
}

/** For a manifest that has no files yet. */
export async function emptyDataDirectory(dataDirectory: string): Promise<void> {
  for (const name of [...DATA_DIRECTORIES, IDENTITY_FILE]) {
    await rm(join(dataDirectory, name), { recursive: true, force: true });
  }
}

/** What the manifest does not name: files of the data directory, and objects of a storage. */
export interface Leftovers {
  readonly files: readonly string[];
  readonly objects: readonly string[];
}

/** Forgets old revisions, and returns what is left over. The caller holds the import lock. */
export async function openDataDirectory(
  connection: Queryable,
  {
    dataDirectory,
    storage,
    keepRevisionsMs,
    now,
  }: {
    readonly dataDirectory: string;
    readonly storage: FileStore;
    readonly keepRevisionsMs: number;
    readonly now: () => Date;
  },
): Promise<Leftovers> {
  const manifest = await loadManifest(connection);
  await claimDataDirectory({ dataDirectory, manifest });
  await claimStorage(connection, { storage, manifest });
  await forgetRevisions(connection, { before: new Date(now().getTime() - keepRevisionsMs) });
  const readManifest = () => loadManifest(connection);
  const files = await findLeftovers({ dataDirectory, readManifest });
  return { files, objects: await findLeftObjects({ storage, readManifest }) };
}

/**
 * Clears the temporary directory, and lists every file that the manifest does not vouch for. The files are listed first: a
 * connection that answers after that has held the import lock until then, so that no file of another import is among them.
 */
export async function findLeftovers({
  dataDirectory,
  readManifest,
}: {
  readonly dataDirectory: string;
  readonly readManifest: () => Promise<Manifest>;
}): Promise<readonly string[]> {
  await rm(temporaryPath(dataDirectory), { recursive: true, force: true });
  const files = await listDataFiles(dataDirectory);
  // A file from which later ones were taken over stays too: they are found under its name when they are needed.
  const published = new Set(listStoredFiles(await readManifest()).flatMap((file) => [file.path, objectOf(file)]));
  const left: string[] = [];
  for (const path of files) {
    if (!published.has(path) && !(await isComing(join(dataDirectory, path)))) left.push(path);
  }
  return left;
}

/** Part of a file that a server is fetching at this moment, or would go on with. */
async function isComing(path: string): Promise<boolean> {
  if (!path.endsWith(PART_ENDING)) return false;
  const found = await stat(path).catch(ifMissing(undefined));
  return found !== undefined && Date.now() - found.mtimeMs < KEEP_PARTS_MS;
}

/** The caller still holds the import lock. */
export async function removeFiles(dataDirectory: string, leftovers: readonly string[]): Promise<void> {
  for (const path of leftovers) await rm(join(dataDirectory, path), { force: true });
  await removeEmptySnapshots(dataDirectory);
}

/** Files with rank data, as paths relative to the data directory. */
async function listDataFiles(dataDirectory: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const directory of DATA_DIRECTORIES) {
    for (const entry of await listEntries(join(dataDirectory, directory))) {
      if (entry.isDirectory()) continue;
      found.push(relative(dataDirectory, join(entry.parentPath, entry.name)).split(sep).join('/'));
    }
  }
  return found;
}

async function removeEmptySnapshots(dataDirectory: string): Promise<void> {
  for (const entry of await listEntries(join(dataDirectory, 'snapshots'))) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isDirectory() || (await readdir(path).catch(ifMissing([]))).length > 0) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/** A directory that does not exist yet has no entries. */
async function listEntries(directory: string): Promise<readonly Dirent[]> {
  return await readdir(directory, { recursive: true, withFileTypes: true }).catch(ifMissing([]));
}
