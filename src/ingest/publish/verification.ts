// Reads every published file again and compares it with what the manifest says about it.
import { join } from 'node:path';
import { errorCode } from '../../domain/error-code.ts';
import type { FileStore } from '../../domain/file-store.ts';
import type { StorageFault, Verification } from '../../domain/rank-publisher.ts';
import type { StoredFile } from '../../domain/stored-file.ts';
import { listStoredFiles, type Manifest } from '../../snapshot/manifest/manifest.ts';
import { describeFile } from './durable-file.ts';

export interface VerificationRequest {
  readonly manifest: Manifest;
  readonly dataDirectory: string;
  /** With one, what lies there is read: the data directory is a cache of it. */
  readonly storage?: FileStore | undefined;
  readonly onFile: (file: StoredFile) => void;
}

export async function verifyFiles({
  manifest,
  dataDirectory,
  storage,
  onFile,
}: VerificationRequest): Promise<Verification> {
  const stored = listStoredFiles(manifest);
  const faults: StorageFault[] = [];
  for (const file of stored) {
    onFile(file);
    const fault = await (storage?.location ? storage.findFault(file) : findFault(dataDirectory, file));
    if (fault) faults.push(fault);
  }
  return { files: stored.length, bytes: stored.reduce((sum, file) => sum + file.sizeBytes, 0), faults };
}

/** What is wrong with a published file; undefined when it is as it was written. */
export async function findFault(dataDirectory: string, file: StoredFile): Promise<StorageFault | undefined> {
  const { path } = file;
  try {
    const found = await describeFile(join(dataDirectory, path));
    if (found.sizeBytes !== file.sizeBytes) {
      return { path, fault: 'size', message: `has ${found.sizeBytes} bytes instead of ${file.sizeBytes}` };
    }
    if (found.sha256 !== file.sha256) return { path, fault: 'checksum', message: 'has other content than published' };
    return undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { path, fault: 'missing', message: 'is not there' };
    return { path, fault: 'unreadable', message: error instanceof Error ? error.message : String(error) };
  }
}
