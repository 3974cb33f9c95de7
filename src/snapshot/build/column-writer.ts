// Where a build writes its columns, and the list of their files.
import { bytesOf, type Column, sharePart, writeBlocks, writeGrownColumn } from '../format/column-file.ts';
import type { SnapshotFile, SnapshotManifest } from '../format/format.ts';
import { partsOf, type SavedColumns } from './build-state.ts';

export class ColumnWriter {
  readonly saved: SavedColumns;
  readonly #directory: string;
  readonly #signal: AbortSignal | undefined;
  readonly #columns = new Map<string, readonly SnapshotFile[]>();

  constructor(options: {
    readonly saved: SavedColumns;
    readonly directory: string;
    readonly signal: AbortSignal | undefined;
  }) {
    this.saved = options.saved;
    this.#directory = options.directory;
    this.#signal = options.signal;
  }

  /** By name, whatever the order in which they were written. */
  get columns(): SnapshotManifest['columns'] {
    return Object.fromEntries([...this.#columns].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  async write(name: string, column: Column): Promise<void> {
    await this.writeBlocks(name, [bytesOf(column)]);
  }

  /** A column in blocks, one behind the other. */
  async writeBlocks(name: string, blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    this.#signal?.throwIfAborted();
    this.#columns.set(name, [await writeBlocks({ directory: this.#directory, name: `${name}.bin` }, blocks)]);
  }

  /** A further part of a column that only grows. */
  async grow(name: string, added: readonly Column[]): Promise<void> {
    const older = partsOf(this.saved, name);
    this.#columns.set(name, await writeGrownColumn({ directory: this.#directory, name, older, added }));
  }

  /** The file of a column that never changes, written by this build or by an earlier one. */
  async take(name: string, part: SnapshotFile, { isSaved }: { readonly isSaved: boolean }): Promise<void> {
    if (isSaved) await sharePart({ from: this.saved.directory, to: this.#directory, part });
    this.#columns.set(name, [part]);
  }

  /** A column that never changes, for the first time. */
  async writeOnce(name: string, column: Column): Promise<void> {
    const file = { directory: this.#directory, name: `${name}.0.bin` };
    this.#columns.set(name, [await writeBlocks(file, [bytesOf(column)])]);
  }
}
