// What this process serves of the published rank data. It follows the manifest: whatever was published is loaded and
// swapped in, whatever was withdrawn goes, and only then the new manifest is shown.
import { dirname, join } from 'node:path';
import type { Manifest, PublishedSnapshot } from '../domain/manifest.ts';
import type { PublishedRanks } from '../domain/published-ranks.ts';
import type { RankSet, RankView } from '../domain/store.ts';
import type { SnapshotStore } from './snapshot-store.ts';

interface ServedRanksOptions {
  readonly store: SnapshotStore;
  readonly dataDirectory: string;
  readonly loadManifest: () => Promise<Manifest>;
}

export class ServedRanks implements PublishedRanks {
  readonly #options: ServedRanksOptions;
  /** Directories of the loaded snapshots, relative to the data directory; each generation has one of its own. */
  readonly #directories = new Map<string, { readonly set: RankSet; readonly directory: string }>();
  #manifest: Manifest;
  #refreshing: Promise<void> = Promise.resolve();

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

  get manifest(): Manifest {
    return this.#manifest;
  }

  checkRoom(owner?: string): void {
    this.#options.store.checkRoom(owner);
  }

  openView(set: RankSet, owner?: string): RankView | undefined {
    return this.#options.store.openView(set, owner);
  }

  /** Catches up with the manifest as it is after this call; one after the other. */
  refresh(): Promise<void> {
    const next = this.#refreshing.then(() => this.#catchUp());
    this.#refreshing = next.catch(() => {});
    return next;
  }

  async #catchUp(): Promise<void> {
    const manifest = await this.#options.loadManifest();
    try {
      await this.#load(manifest);
    } catch (error) {
      // A newer publication removes the files of the one before, maybe while they were being read.
      if ((await this.#options.loadManifest()).version === manifest.version) throw error;
      return await this.#catchUp();
    }
  }

  async #load(manifest: Manifest): Promise<void> {
    const wanted = new Map(manifest.snapshots.map((snapshot) => [keyOf(snapshot), snapshot]));
    for (const [key, snapshot] of wanted) {
      const directory = directoryOf(snapshot);
      if (this.#directories.get(key)?.directory === directory) continue;
      const set = await this.#options.store.publish(join(this.#options.dataDirectory, directory));
      this.#directories.set(key, { set, directory });
    }
    for (const [key, { set }] of this.#directories) {
      if (wanted.has(key)) continue;
      this.#options.store.withdraw(set);
      this.#directories.delete(key);
    }
    this.#manifest = manifest;
  }
}

function keyOf({ marketplace, source, frequency }: PublishedSnapshot): string {
  return `${marketplace}/${source}/${frequency}`;
}

function directoryOf({ files }: PublishedSnapshot): string {
  const [first] = files;
  if (!first) throw new Error('a published snapshot has no files');
  return dirname(first.path);
}
