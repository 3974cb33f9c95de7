// Loading a snapshot: every resident column into shared memory, at disk speed, with its checksums verified.
import type { RankSet } from '../../domain/store.ts';
import { readParts, verifyParts } from './column-file.ts';
import {
  BUILD_ONLY_COLUMNS,
  DamagedSnapshotError,
  findManifest,
  type SnapshotFile,
  type SnapshotManifest,
} from './format.ts';
import type { SnapshotBuffers } from './snapshot-view.ts';

export interface LoadedSnapshot {
  readonly manifest: SnapshotManifest;
  readonly buffers: SnapshotBuffers;
}

/** Two at a time keeps the disk busy while the other piece is checksummed. */
const CONCURRENT_READS = 2;

export async function loadSnapshot({
  directory,
  findOlder,
  signal,
}: {
  readonly directory: string;
  /** The generation of the set that is in memory now: columns that did not change are shared with it, not read again. */
  readonly findOlder?: ((set: RankSet) => LoadedSnapshot | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
}): Promise<LoadedSnapshot> {
  const manifest = await findManifest(directory);
  if (!manifest) {
    throw new DamagedSnapshotError(`There is no snapshot of this version in ${directory}.`);
  }
  const older = findOlder?.(manifest);
  const buffers: Record<string, SharedArrayBuffer> = {};
  const waiting = Object.entries(manifest.columns).filter(([name]) => !BUILD_ONLY_COLUMNS.has(name));
  async function readNext(): Promise<void> {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      signal?.throwIfAborted();
      const [name, parts] = next;
      buffers[name] = findUnchanged({ name, parts, older }) ?? (await readParts({ directory, parts }));
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_READS }, readNext));
  return { manifest, buffers };
}

/** Reads every file of a snapshot and throws when one is missing or damaged. False when there is none of this format. */
export async function verifySnapshot(directory: string): Promise<boolean> {
  const manifest = await findManifest(directory);
  for (const parts of Object.values(manifest?.columns ?? {})) await verifyParts({ directory, parts });
  return manifest !== undefined;
}

/** Sum of all columns in memory. */
export function residentBytes({ buffers }: LoadedSnapshot): number {
  return Object.values(buffers).reduce((sum, buffer) => sum + buffer.byteLength, 0);
}

function findUnchanged({
  name,
  parts,
  older,
}: {
  readonly name: string;
  readonly parts: readonly SnapshotFile[];
  readonly older: LoadedSnapshot | undefined;
}): SharedArrayBuffer | undefined {
  const olderParts = older?.manifest.columns[name];
  const isSame =
    olderParts?.length === parts.length &&
    parts.every((part, i) => part.crc32 === olderParts[i]?.crc32 && part.sizeBytes === olderParts[i]?.sizeBytes);
  return isSame ? older?.buffers[name] : undefined;
}
