// Periods that were prepared and become visible together: the snapshots of their sets are built once for all of them, and one
// transaction flips the manifest.
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { allDone } from '../domain/containment.ts';
import {
  type BuildSnapshot,
  type DictionaryKind,
  findSnapshot,
  listDictionary,
  listPeriods,
  listStoredFiles,
  type Manifest,
  type PreparedPeriod,
  type PublicationAction,
  type PublishedPeriod,
  type PublishedSnapshot,
  type StoredFile,
  withoutPeriods,
  withPrepared,
} from '../domain/manifest.ts';
import type { RankSet } from '../domain/store.ts';
import { loadManifest, publish } from '../postgres/manifest.ts';
import type { Queryable } from '../postgres/pool.ts';
import { snapshotPath } from './data-directory.ts';
import { describeDirectory, uniquePath } from './durable-file.ts';
import type { ImportStage } from './import-request.ts';
import { VerifiedFiles } from './verified-files.ts';

interface BatchOptions {
  /** Holds the import lock. */
  readonly connection: Queryable;
  readonly dataDirectory: string;
  readonly buildSnapshot: BuildSnapshot;
  readonly now: () => Date;
  /** Told in plain words of what was found wrong and mended. */
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sets whose segments are smaller are built at once: one is read while another is put in order. Large ones would take too much memory. */
const SMALL_SET_BYTES = 64_000_000;

export class PublicationBatch {
  readonly #options: BatchOptions;
  /** Shared by all files of an import, so that each published file is verified once. */
  readonly verified: VerifiedFiles;
  #manifest: Manifest;
  #prepared: readonly PreparedPeriod[] = [];
  #withdrawn: readonly PublishedPeriod[] = [];

  private constructor(options: BatchOptions, manifest: Manifest) {
    this.#options = options;
    this.#manifest = manifest;
    this.verified = new VerifiedFiles(options.dataDirectory);
  }

  static async open(options: BatchOptions): Promise<PublicationBatch> {
    return new PublicationBatch(options, await loadManifest(options.connection));
  }

  /** The manifest with all that waits to be published. */
  get draft(): Manifest {
    return withoutPeriods(withPrepared(this.#manifest, this.#prepared), this.#withdrawn);
  }

  add(prepared: readonly PreparedPeriod[]): void {
    this.#prepared = [...this.#prepared, ...prepared];
    for (const { period, dictionaries } of prepared) {
      this.verified.add([period.segment, ...dictionaries.map(({ file }) => file)]);
    }
  }

  /** A published period is to go. */
  withdraw(period: PublishedPeriod): void {
    this.#withdrawn = [...this.#withdrawn, period];
  }

  /** Publishes all that was added and withdrawn, or nothing of it. */
  async publish(onStage: (stage: ImportStage) => void, action?: PublicationAction): Promise<void> {
    const { connection, signal, now } = this.#options;
    const [prepared, withdrawn] = [this.#prepared, this.#withdrawn];
    if (prepared.length === 0 && withdrawn.length === 0) return;
    const { draft } = this;
    this.#prepared = [];
    this.#withdrawn = [];
    onStage('snapshot');
    const sets = setsOf([...prepared.map(({ period }) => period), ...withdrawn]);
    const left = sets.filter((set) => listPeriods(draft, set).length > 0);
    const snapshots = await this.#writeSnapshots(draft, left);
    onStage('publishing');
    signal?.throwIfAborted();
    await publish(connection, { prepared, withdrawn, snapshots, publishedAt: now(), ...(action && { action }) });
    this.#manifest = await loadManifest(connection);
  }

  /** Replaces the snapshots of these sets by new ones of the same content. */
  async rebuild(sets: readonly RankSet[]): Promise<void> {
    const { connection, now } = this.#options;
    const snapshots = await this.#writeSnapshots(this.draft, sets);
    // Nothing was computed anew that anyone could see, so the time stays.
    await publish(connection, { prepared: [], snapshots, publishedAt: this.#manifest.computedAt ?? now() });
    this.#manifest = await loadManifest(connection);
  }

  async #writeSnapshots(draft: Manifest, sets: readonly RankSet[]): Promise<readonly PublishedSnapshot[]> {
    const sizeOf = (set: RankSet) => listPeriods(draft, set).reduce((sum, { segment }) => sum + segment.sizeBytes, 0);
    const small = sets.filter((set) => sizeOf(set) < SMALL_SET_BYTES);
    const snapshots: PublishedSnapshot[] = await allDone(small.map((set) => this.#writeSnapshot(draft, set)));
    for (const set of sets) if (!small.includes(set)) snapshots.push(await this.#writeSnapshot(draft, set));
    return snapshots;
  }

  async #writeSnapshot(draft: Manifest, set: RankSet): Promise<PublishedSnapshot> {
    const { dataDirectory, signal, buildSnapshot, onWarning } = this.#options;
    const absolute = (file: StoredFile) => join(dataDirectory, file.path);
    const deltasOf = (kind: DictionaryKind) =>
      listDictionary(draft, { marketplace: set.marketplace, kind }).map((delta) => absolute(delta.file));
    const path = uniquePath(snapshotPath({ set, version: draft.version + 1 }));
    const outputDirectory = join(dataDirectory, path);
    const { files: currentFiles = [] } = findSnapshot(draft, set) ?? {};
    const [currentFile] = currentFiles;
    const older = currentFile && { directory: dirname(absolute(currentFile)), files: currentFiles };
    const published = new Map(listStoredFiles(draft).map((file) => [absolute(file), file]));
    await mkdir(dirname(outputDirectory), { recursive: true });
    const written = await buildSnapshot({
      ...set,
      periods: listPeriods(draft, set).map(({ period, segment }) => ({ period, segmentPath: absolute(segment) })),
      dictionaries: {
        terms: deltasOf('terms'),
        products: deltasOf('products'),
        brands: deltasOf('brands'),
        categories: deltasOf('categories'),
      },
      outputDirectory,
      beforeRead: async (file) => {
        const stored = published.get(file);
        if (stored) await this.verified.check(stored);
      },
      onDamaged: (error) => onWarning?.(`${error.message} The snapshot was built from the segments again.`),
      ...(older && { previous: older.directory }),
      ...(signal && { signal }),
    });
    const names = written.map((file) => file.name);
    const files = await describeDirectory({ dataDirectory, path, names, older });
    return { ...set, files: files.map((file) => ({ ...file, path: `${path}/${file.path}` })) };
  }
}

function setsOf(periods: readonly PublishedPeriod[]): readonly RankSet[] {
  const sets = periods.map(({ marketplace, source, period }) => ({
    marketplace,
    source,
    frequency: period.frequency,
  }));
  return [...new Map(sets.map((set) => [`${set.marketplace} ${set.source} ${set.frequency}`, set])).values()];
}
