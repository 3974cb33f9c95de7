// All published files move to another place, and one transaction says where they lie from then on. What is there already is not copied
// again, so that a move that was stopped is continued by the next one.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { ifMissing } from '../../domain/error-code.ts';
import { type FileStore, objectOf } from '../../domain/file-store.ts';
import type { StoredFile } from '../../domain/stored-file.ts';
import { recordAction } from '../../postgres/audit-log.ts';
import { type ImportLockOptions, withImportLock } from '../../postgres/import-lock.ts';
import { inTransactionOn, type Pool } from '../../postgres/pool.ts';
import { listStoredFiles, type Manifest } from '../../snapshot/manifest/manifest.ts';
import { loadManifest, saveStorage } from '../../snapshot/manifest/manifest-rows.ts';
import { claimObjects } from './claimed-storage.ts';
import { claimDataDirectory } from './data-directory.ts';
import { findFault } from './verification.ts';

export interface StoragePlaces {
  readonly pool: Pool;
  readonly dataDirectory: string;
  /** A store for what the manifest says: a location, or null for the data directory alone. */
  readonly openStore: (location: string | null) => FileStore;
}

export interface MoveRequest extends StoragePlaces, ImportLockOptions {
  readonly to: string | null;
  readonly isDryRun: boolean;
  readonly onProgress: (progress: { readonly bytesDone: number; readonly bytesTotal: number }) => void;
}

export interface MoveSummary {
  readonly from: string | null;
  readonly to: string | null;
  /** All that is published or kept. */
  readonly files: number;
  readonly sizeBytes: number;
  /** Of these, what was not there yet. */
  readonly copiedFiles: number;
  readonly copiedBytes: number;
}

export async function moveStorage(request: MoveRequest): Promise<MoveSummary> {
  const { pool, openStore, to, isDryRun } = request;
  const target = openStore(to);
  if (isDryRun) return (await planMove(await loadManifest(pool), request, target)).summary;
  return await withImportLock(pool, request, async (connection) => {
    const manifest = await loadManifest(connection);
    const { summary, files } = await planMove(manifest, request, target);
    if (manifest.storage === to) return summary;
    await claimDataDirectory({ dataDirectory: request.dataDirectory, manifest });
    await claimObjects({ storage: target, manifest });
    await copyAll(files, { ...request, source: openStore(manifest.storage), target });
    await inTransactionOn(connection, async () => {
      await saveStorage(connection, to);
      await recordAction(connection, { action: 'storage.move', details: { from: manifest.storage, to } });
    });
    return summary;
  });
}

/** How much is published, and where it lies. */
export async function describeStorage({ pool }: Pick<StoragePlaces, 'pool'>) {
  const manifest = await loadManifest(pool);
  const files = filesOf(manifest);
  return { location: manifest.storage, files: files.length, sizeBytes: sumOf(files) };
}

async function planMove(manifest: Manifest, { dataDirectory, to }: MoveRequest, target: FileStore) {
  const all = filesOf(manifest);
  const sizes = new Map((await target.list()).map(({ name, sizeBytes }) => [name, sizeBytes]));
  const files: StoredFile[] = [];
  for (const file of manifest.storage === to ? [] : to === null ? listStoredFiles(manifest) : all) {
    const size = to === null ? await sizeOf(join(dataDirectory, file.path)) : sizes.get(objectOf(file));
    if (size !== file.sizeBytes) files.push(file);
  }
  const summary: MoveSummary = {
    ...{ from: manifest.storage, to, files: all.length, sizeBytes: sumOf(all) },
    ...{ copiedFiles: files.length, copiedBytes: sumOf(files) },
  };
  return { summary, files };
}

async function copyAll(
  files: readonly StoredFile[],
  given: MoveRequest & { readonly source: FileStore; readonly target: FileStore },
): Promise<void> {
  const { source, target, dataDirectory, signal, onProgress } = given;
  const bytesTotal = sumOf(files);
  let bytesDone = 0;
  for (const file of files) {
    signal?.throwIfAborted();
    await source.ensure([file], { signal });
    if (await findFault(dataDirectory, file)) await source.ensure([file], { signal, anew: true });
    const fault = await findFault(dataDirectory, file);
    if (fault) {
      throw new OperatorError(`The published file ${fault.path} ${fault.message}.`, {
        hint: 'Nothing was moved. Restore it from a backup, or import its report again.',
      });
    }
    await target.put([file], { signal });
    bytesDone += file.sizeBytes;
    onProgress({ bytesDone, bytesTotal });
  }
}

/** One for each content that a storage keeps. */
function filesOf(manifest: Manifest): readonly StoredFile[] {
  return [...new Map(listStoredFiles(manifest).map((file) => [objectOf(file), file])).values()];
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(ifMissing(undefined)))?.size;
}

function sumOf(files: readonly StoredFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
