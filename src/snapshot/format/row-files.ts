// The files of rows, which are read at single places for as long as a snapshot is served. Descriptors belong to the process, so that
// all threads read from the same ones; and what is open can be read whatever becomes of its name.
import { close, fstat, open } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../domain/error-code.ts';
import { DamagedSnapshotError, rowsColumnName, type SnapshotManifest } from './format.ts';

/** By period, oldest first. */
export type RowFiles = readonly number[];

const openFile = promisify(open);
const closeFile = promisify(close);
const readStatus = promisify(fstat);

export async function openRowFiles(directory: string, { periods, columns }: SnapshotManifest): Promise<RowFiles> {
  const files: number[] = [];
  try {
    for (const { key } of periods) {
      const [part] = columns[rowsColumnName(key)] ?? [];
      const path = join(directory, part?.name ?? rowsColumnName(key));
      const file = await openFile(path, 'r').catch((error: unknown) => {
        throw errorCode(error) === 'ENOENT'
          ? new DamagedSnapshotError(`The snapshot file ${path} is not there.`)
          : error;
      });
      files.push(file);
      const { size } = await readStatus(file);
      if (size === part?.sizeBytes) continue;
      throw new DamagedSnapshotError(`The snapshot file ${path} has ${size} bytes instead of ${part?.sizeBytes}.`);
    }
    return files;
  } catch (error) {
    await closeRowFiles(files);
    throw error;
  }
}

export async function closeRowFiles(files: RowFiles): Promise<void> {
  for (const file of files) await closeFile(file);
}
