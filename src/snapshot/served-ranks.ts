// What this process serves of the published rank data. Told of each newer version, it catches up with the manifest: whatever was published is loaded and
// swapped in, whatever was withdrawn goes, and only then the new manifest is shown. What cannot be loaded is tried again with
// backoff, while the older state is served.
import { dirname, join } from 'node:path';
import { errorCode } from '../domain/error-code.ts';
import { type FileStore, StoreFault } from '../domain/file-store.ts';
import { SetElsewhereError } from '../domain/held-marketplaces.ts';
import type { DataLag } from '../domain/published-ranks.ts';
import { listPeriods } from '../domain/rank-publisher.ts';
import { type RankCatalog, type RankSet, type RankStore, type RankView, rankSetKey } from '../domain/store.ts';
import { DamagedSnapshotError } from './format/format.ts';
import type { Manifest, PublishedSnapshot } from './manifest/manifest.ts';
import type { PreparedSnapshot, SnapshotStore } from './snapshot-store.ts';

export interface ServedRanksOptions {
  readonly store: Pick<SnapshotStore, 'prepare' | 'withdraw' | 'checkRoom' | 'openView'> & {
    readonly waitMs?: number;
  };
  readonly dataDirectory: string;
  /** Gives what the data directory lacks. */
  readonly storage?: FileStore | undefined;
  readonly loadManifest: () => Promise<Manifest>;
  /** Leaves out sets that are not for this process to answer for; all are loaded unless given. */
  readonly isHeld?: (set: RankSet) => boolean;
  /** Called with a fault of the snapshot itself before it is tried again: builds it anew where that helps. */
  readonly repair?: () => Promise<void>;
  readonly onError?: (error: unknown, retry: { readonly afterMs: number }) => void;
  readonly nowMs?: () => number;
  readonly random?: () => number;
}

/** Backoff between attempts to load what is published, with jitter so that servers do not try in step. */
const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

export class ServedRanks implements RankStore {
  readonly #options: ServedRanksOptions;
  /** Directories of the loaded snapshots, relative to the data directory; each generation has one of its own. */
  readonly #directories = new Map<string, { readonly set: RankSet; readonly directory: string }>();
  #manifest: Manifest;
  #refreshing: Promise<void> = Promise.resolve();
  #wantedVersion = 0;
  #behindSinceMs: number | undefined;
  #failures = 0;
  #fault: string | null = null;
  /** The newest that an attempt was made for. */
  #triedVersion = 0;
  #retry: NodeJS.Timeout | undefined;
  #isFollowing = false;
  readonly #closing = new AbortController();
  readonly #listeners: (() => void)[] = [];

  private constructor(options: ServedRanksOptions, manifest: Manifest) {
    this.#options = options;
    this.#manifest = manifest;
  }

  /** Loads all that is published. */
  static async open(options: ServedRanksOptions): Promise<ServedRanks> {
    const ranks = new ServedRanks(options, await options.loadManifest());
    await ranks.refresh();
    return ranks;
  }

  get catalog(): RankCatalog {
    return this.#manifest;
  }

  get lag(): DataLag {
    const behindMs = this.#behindSinceMs === undefined ? 0 : this.#nowMs() - this.#behindSinceMs;
    return {
      servedVersion: this.#manifest.version,
      wantedVersion: Math.max(this.#wantedVersion, this.#manifest.version),
      behindSeconds: Math.max(0, behindMs / 1000),
      failures: this.#failures,
      fault: this.#fault,
    };
  }

  subscribe(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** A version was published. Never throws: what cannot be loaded is tried again until it is, or until a newer one can be. */
  hear(version: number): void {
    this.#want(version);
    if (version <= this.#manifest.version) return;
    // One that failed is tried again in its time; a newer one at once.
    if (version > this.#triedVersion || (!this.#retry && !this.#isFollowing)) void this.#follow();
  }

  /** How long a search would wait for others; nothing where an engine cannot tell. */
  get waitMs(): number {
    return this.#options.store.waitMs ?? 0;
  }

  checkRoom(owner?: string): void {
    this.#options.store.checkRoom(owner);
  }

  openView(set: RankSet, owner?: string): RankView | undefined {
    const view = this.#options.store.openView(set, owner);
    if (!view && !this.#isHeld(set) && listPeriods(this.#manifest, set).length > 0) throw new SetElsewhereError(set);
    return view;
  }

  /** Catches up with the manifest as it is after this call; one after the other. */
  refresh(): Promise<void> {
    const next = this.#refreshing.then(() => this.#catchUp());
    this.#refreshing = next.catch(() => {});
    return next;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#retry);
    await this.#refreshing;
  }

  async #follow(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#isFollowing = true;
    try {
      await this.refresh();
      this.#failures = 0;
      this.#fault = null;
      for (const listener of this.#listeners) listener();
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#tryLater(error);
    } finally {
      this.#isFollowing = false;
    }
  }

  #tryLater(error: unknown): void {
    const { random = Math.random, onError, repair } = this.#options;
    const backoffMs = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** this.#failures);
    const afterMs = backoffMs * (0.5 + random() / 2);
    this.#failures += 1;
    this.#fault = describeFault(error);
    onError?.(error, { afterMs });
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      const isDamage = error instanceof DamagedSnapshotError || (error instanceof StoreFault && error.kind === 'lost');
      const mended = isDamage && repair ? repair() : Promise.resolve();
      // What cannot be mended is said by the next attempt.
      void mended.catch((fault: unknown) => onError?.(fault, { afterMs: 0 })).then(() => this.#follow());
    }, afterMs).unref();
  }

  #want(version: number): void {
    this.#wantedVersion = Math.max(this.#wantedVersion, version);
    const isBehind = this.#wantedVersion > this.#manifest.version;
    if (isBehind) this.#behindSinceMs ??= this.#nowMs();
    else this.#behindSinceMs = undefined;
  }

  #isHeld(set: RankSet): boolean {
    return this.#options.isHeld?.(set) ?? true;
  }

  #nowMs(): number {
    return (this.#options.nowMs ?? performance.now.bind(performance))();
  }

  async #catchUp(): Promise<void> {
    const manifest = await this.#options.loadManifest();
    this.#triedVersion = manifest.version;
    this.#want(manifest.version);
    try {
      await this.#load(manifest);
    } catch (error) {
      // A newer publication removes the files of the one before, maybe while they were being read.
      if ((await this.#options.loadManifest()).version === manifest.version) throw error;
      return await this.#catchUp();
    }
  }

  async #load(manifest: Manifest): Promise<void> {
    const held = manifest.snapshots.filter((set) => this.#isHeld(set));
    const wanted = new Map(held.map((snapshot) => [rankSetKey(snapshot), snapshot]));
    const prepared: { readonly key: string; readonly directory: string; readonly loaded: PreparedSnapshot }[] = [];
    try {
      for (const [key, snapshot] of wanted) {
        const directory = directoryOf(snapshot);
        if (this.#directories.get(key)?.directory === directory) continue;
        const path = join(this.#options.dataDirectory, directory);
        await this.#options.storage?.ensure(snapshot.files, { signal: this.#closing.signal });
        const loaded = await this.#options.store.prepare(path, { signal: this.#closing.signal });
        prepared.push({ key, directory, loaded });
      }
    } catch (error) {
      // All or nothing: when one set cannot be loaded, the others stay those of the manifest that is shown.
      for (const { loaded } of prepared) await loaded[Symbol.asyncDispose]();
      throw error;
    }
    for (const { key, directory, loaded } of prepared) this.#directories.set(key, { set: loaded.publish(), directory });
    for (const [key, { set }] of this.#directories) {
      if (wanted.has(key)) continue;
      this.#options.store.withdraw(set);
      this.#directories.delete(key);
    }
    this.#manifest = manifest;
    this.#want(manifest.version);
  }
}

/** Without names of files and machines, which are for the log. */
function describeFault(error: unknown): string {
  if (error instanceof DamagedSnapshotError) return 'files are missing or damaged';
  if (error instanceof StoreFault) {
    return error.kind === 'lost' ? 'files are missing or damaged' : 'the object storage does not give them';
  }
  if (error instanceof RangeError) return 'there is not enough memory';
  if (/^(ENOENT|EACCES|EPERM|EIO|EMFILE|ENFILE|ESTALE)$/.test(errorCode(error) ?? '')) return 'files cannot be read';
  return 'an unexpected fault';
}

function directoryOf({ files }: PublishedSnapshot): string {
  const [first] = files;
  if (!first) throw new Error('a published snapshot has no files');
  return dirname(first.path);
}
