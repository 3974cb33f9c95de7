// Periods that were prepared and become visible together: the snapshots of their sets are built once for all of them, and one
// transaction flips the manifest.
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { allDone } from '../../domain/containment.ts';
import { DATA_DIRECTORY_ALONE, type FileStore, objectOf, StoreFault } from '../../domain/file-store.ts';
import {
  type BatchOptions,
  isAt,
  listPeriods,
  type PublicationBatch,
  rankSetOf,
  type StageOptions,
} from '../../domain/rank-publisher.ts';
import {
  type KeptRevision,
  type PeriodPlace,
  type PublishedPeriod,
  type RankSet,
  rankSetKey,
} from '../../domain/store.ts';
import type { StoredFile } from '../../domain/stored-file.ts';
import type { Queryable } from '../../postgres/pool.ts';
import {
  type BuildSnapshot,
  DICTIONARY_KINDS,
  findSnapshot,
  listDictionary,
  listStoredFiles,
  type Manifest,
  type PreparedPeriod,
  type PublishedSnapshot,
  type StoredPeriod,
  withoutPeriods,
  withPrepared,
} from '../../snapshot/manifest/manifest.ts';
import { loadManifest, publish } from '../../snapshot/manifest/manifest-rows.ts';
import type { SessionRows } from '../session-rows.ts';
import { snapshotPath } from './data-directory.ts';
import { describeDirectory, uniquePath } from './durable-file.ts';
import {
  type FilesRequest,
  isSegmentIntact,
  type NumberedDictionaries,
  numberDictionaries,
  writePeriodFiles,
} from './period-files.ts';
import { VerifiedFiles } from './verified-files.ts';

export interface FileBatchOptions extends Pick<BatchOptions, 'onWarning' | 'signal'> {
  /** Holds the import lock. */
  readonly connection: Queryable;
  readonly dataDirectory: string;
  readonly storage?: FileStore | undefined;
  readonly buildSnapshot: BuildSnapshot;
  readonly now: () => Date;
  readonly ready?: Promise<void>;
}

/** Sets whose segments are smaller are built at once: one is read while another is put in order. Large ones would take too much memory. */
const SMALL_SET_BYTES = 64_000_000;

export class FileBatch implements PublicationBatch<SessionRows> {
  readonly #options: FileBatchOptions;
  readonly #storage: FileStore;
  /** Shared by all files of an import, so that each published file is verified once. */
  readonly #verified: VerifiedFiles;
  readonly #numbered = new WeakMap<SessionRows, Promise<NumberedDictionaries>>();
  readonly ready: Promise<void>;
  #manifest: Manifest;
  #prepared: readonly PreparedPeriod[] = [];
  #withdrawn: readonly StoredPeriod[] = [];

  private constructor(options: FileBatchOptions, manifest: Manifest) {
    this.#options = options;
    this.ready = options.ready ?? Promise.resolve();
    this.#manifest = manifest;
    this.#storage = options.storage ?? DATA_DIRECTORY_ALONE;
    this.#verified = new VerifiedFiles(options.dataDirectory, this.#storage);
  }

  static async open(options: FileBatchOptions): Promise<FileBatch> {
    return new FileBatch(options, await loadManifest(options.connection));
  }

  get draft(): Manifest {
    return withoutPeriods(withPrepared(this.#manifest, this.#prepared), this.#withdrawn);
  }

  async expect(place: PeriodPlace, rows: SessionRows): Promise<void> {
    const numbered = numberDictionaries(this.#filesOf(rows), place);
    this.#numbered.set(rows, numbered);
    await numbered;
  }

  async isIntact(published: PublishedPeriod, rows: SessionRows): Promise<boolean> {
    return await isSegmentIntact(findStored(this.draft.periods, published), this.#filesOf(rows));
  }

  async add(
    period: PublishedPeriod,
    rows: SessionRows,
    { onStage }: StageOptions,
  ): Promise<{ readonly newTerms: number }> {
    const request = this.#filesOf(rows);
    const numbered = this.#numbered.get(rows) ?? numberDictionaries(request, period);
    const { prepared, newTerms } = await writePeriodFiles(request, { period, numbered, onStage });
    this.#prepared = [...this.#prepared, prepared];
    this.#verified.add([prepared.period.segment, ...prepared.dictionaries.map(({ file }) => file)]);
    return { newTerms };
  }

  withdraw(published: PublishedPeriod): void {
    this.#withdrawn = [...this.#withdrawn, findStored(this.draft.periods, published)];
  }

  async restore({ published }: KeptRevision, revision: number): Promise<void> {
    const kept = this.draft.keptRevisions.map((each) => each.published);
    const stored = findStored(
      kept.filter((each) => each.revision === published.revision),
      published,
    );
    await this.#verified.check(stored.segment);
    this.#prepared = [...this.#prepared, { period: { ...stored, revision }, dictionaries: [] }];
  }

  /** Publishes all that was added and withdrawn, or nothing of it. */
  async publish({ onStage, action }: Parameters<PublicationBatch['publish']>[0]): Promise<void> {
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
    await this.#store(prepared, snapshots);
    await publish(connection, { prepared, withdrawn, snapshots, publishedAt: now(), ...(action && { action }) });
    this.#manifest = await loadManifest(connection);
  }

  /** Replaces the snapshots of these sets by new ones of the same content. */
  async rebuild(sets: readonly RankSet[]): Promise<void> {
    const { connection, now } = this.#options;
    const snapshots = await this.#writeSnapshots(this.draft, sets);
    await this.#store([], snapshots);
    // Nothing was computed anew that anyone could see, so the time stays.
    await publish(connection, { prepared: [], snapshots, publishedAt: this.#manifest.computedAt ?? now() });
    this.#manifest = await loadManifest(connection);
  }

  #filesOf(rows: SessionRows): FilesRequest {
    const { dataDirectory } = this.#options;
    return { rows, manifest: this.draft, verified: this.#verified, dataDirectory, storage: this.#storage };
  }

  /** Before anything names them. What was published before, as a revision that comes back, is there already. */
  async #store(prepared: readonly PreparedPeriod[], snapshots: readonly PublishedSnapshot[]): Promise<void> {
    const published = new Set(listStoredFiles(this.#manifest).map(objectOf));
    const files = [
      ...prepared.flatMap(({ period, dictionaries }) => [period.segment, ...dictionaries.map(({ file }) => file)]),
      ...snapshots.flatMap((snapshot) => snapshot.files),
    ];
    await this.#storage.put(
      files.filter((file) => !published.has(objectOf(file))),
      { signal: this.#options.signal },
    );
  }

  /** Of the published snapshot, from which much can be taken over; nothing when it is lost. */
  async #fetchCurrent(draft: Manifest, set: RankSet): Promise<readonly StoredFile[]> {
    const { files = [] } = findSnapshot(draft, set) ?? {};
    const { signal, onWarning } = this.#options;
    try {
      await this.#storage.ensure(files, { signal });
      return files;
    } catch (error) {
      if (!(error instanceof StoreFault) || error.kind !== 'lost') throw error;
      onWarning?.(`${error.message} The snapshot was built from the segments again.`);
      return [];
    }
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
    const deltas = DICTIONARY_KINDS.map((kind) => [
      kind,
      listDictionary(draft, { marketplace: set.marketplace, kind }).map((delta) => absolute(delta.file)),
    ]);
    const path = uniquePath(snapshotPath({ set, version: draft.version + 1 }));
    const outputDirectory = join(dataDirectory, path);
    const currentFiles = await this.#fetchCurrent(draft, set);
    const [currentFile] = currentFiles;
    // In a storage unchanged files keep the names under which they are there.
    const known = this.#storage.location
      ? currentFiles.map((file) => ({ ...file, object: objectOf(file) }))
      : currentFiles;
    const older = currentFile && { directory: dirname(absolute(currentFile)), files: known };
    const published = new Map(listStoredFiles(draft).map((file) => [absolute(file), file]));
    await mkdir(dirname(outputDirectory), { recursive: true });
    const written = await buildSnapshot({
      ...set,
      periods: listPeriods(draft, set).map(({ period, segment }) => ({ period, segmentPath: absolute(segment) })),
      dictionaries: Object.fromEntries(deltas),
      outputDirectory,
      beforeRead: async (file) => {
        const stored = published.get(file);
        if (stored) await this.#verified.check(stored);
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

function setsOf(periods: readonly StoredPeriod[]): readonly RankSet[] {
  return [...new Map(periods.map(rankSetOf).map((set) => [rankSetKey(set), set])).values()];
}

function findStored(periods: readonly StoredPeriod[], place: PeriodPlace): StoredPeriod {
  const stored = periods.find((each) => isAt(each, place));
  if (!stored) throw new Error('a period that is not there');
  return stored;
}
