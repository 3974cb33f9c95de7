// Loading a snapshot: every resident column into shared memory, at disk speed, with its checksums verified.
import type { RankSet } from '../../domain/store.ts';
import { type KnownParts, readParts, verifyParts } from './column-file.ts';
import { DamagedSnapshotError, findManifest, isResident, type SnapshotFile, type SnapshotManifest } from './format.ts';
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
  const waiting = Object.entries(manifest.columns).filter(([name]) => isResident(name));
  async function readNext(): Promise<void> {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      signal?.throwIfAborted();
      const [name, parts] = next;
      buffers[name] = await takeOrRead({ directory, parts, known: findKnown(older, name) });
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

/** What the older generation has in memory of a column. */
function findKnown(older: LoadedSnapshot | undefined, name: string): KnownParts | undefined {
  const buffer = older?.buffers[name];
  const parts = older?.manifest.columns[name];
  return buffer && parts && { buffer, parts };
}

/** A column that did not change is shared; of one that grew the older parts are copied, and only the others are read. */
async function takeOrRead({
  directory,
  parts,
  known,
}: {
  readonly directory: string;
  readonly parts: readonly SnapshotFile[];
  readonly known: KnownParts | undefined;
}): Promise<SharedArrayBuffer> {
  if (!known) return await readParts({ directory, parts });
  const isSame = (part: SnapshotFile, i: number): boolean =>
    part.crc32 === known.parts[i]?.crc32 && part.sizeBytes === known.parts[i]?.sizeBytes;
  const firstOther = parts.findIndex((part, i) => !isSame(part, i));
  if (firstOther < 0 && parts.length === known.parts.length) return known.buffer;
  const sameCount = firstOther < 0 ? parts.length : firstOther;
  return await readParts({ directory, parts, known: { buffer: known.buffer, parts: parts.slice(0, sameCount) } });
}
