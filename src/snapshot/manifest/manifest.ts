// The manifest says which rank data is published: it alone decides whether a period, a dictionary entry or a snapshot
// exists. Files come first, the manifest row last, in one transaction (docs/data.md).
import { comparePeriods, type Period } from '../../domain/period.ts';
import { isAt, type PublicationAction, type RevisionCatalog } from '../../domain/rank-publisher.ts';
import { type KeptRevision, type PublishedPeriod, type RankSet, rankSetKey } from '../../domain/store.ts';
import type { StoredFile } from '../../domain/stored-file.ts';

export const DICTIONARY_KINDS = ['terms', 'products', 'brands', 'categories'] as const;
export type DictionaryKind = (typeof DICTIONARY_KINDS)[number];

/** Paths or names of delta files, by sequence. */
export type DictionaryFiles = Readonly<Record<DictionaryKind, readonly string[]>>;

/** A published period with the file that holds its rows. */
export interface StoredPeriod extends PublishedPeriod {
  readonly segment: StoredFile;
}

/** Dictionaries grow by files. Ids are dense from 0 per marketplace and kind, and never change. */
export interface DictionaryDelta {
  readonly marketplace: string;
  readonly kind: DictionaryKind;
  readonly sequence: number;
  /** One more than the highest id in this file and all before it. */
  readonly nextId: number;
  readonly file: StoredFile;
}

export interface PublishedSnapshot extends RankSet {
  readonly files: readonly StoredFile[];
}

export interface Manifest extends RevisionCatalog {
  /** Drawn once per database. The data directory repeats it, so that one is never swept by the manifest of another. */
  readonly id: string;
  /** Where its files lie: a location in an object storage, or null for the data directory alone. */
  readonly storage: string | null;
  /** Chronological within each set. */
  readonly periods: readonly StoredPeriod[];
  /** By sequence within each marketplace and kind. */
  readonly dictionaries: readonly DictionaryDelta[];
  readonly snapshots: readonly PublishedSnapshot[];
  /** Of each period by revision. */
  readonly keptRevisions: readonly KeptRevision<StoredPeriod>[];
}

/** A period whose files are written, but which is not published yet, with the dictionary entries it needs. */
export interface PreparedPeriod {
  readonly period: StoredPeriod;
  readonly dictionaries: readonly DictionaryDelta[];
}

/** What becomes visible in one step: periods, and for each set of them the snapshot that replaces the older one. */
export interface Publication {
  readonly prepared: readonly PreparedPeriod[];
  /** Published periods that are gone afterwards. */
  readonly withdrawn?: readonly StoredPeriod[];
  readonly snapshots: readonly PublishedSnapshot[];
  readonly publishedAt: Date;
  /** What an operator asked for, when it is more than an import; written to the audit log. */
  readonly action?: PublicationAction;
}

/** What a snapshot is built from: one set of periods, and the dictionaries of its marketplace. All paths are absolute. */
export interface SnapshotRequest extends RankSet {
  /** The period that is being published included. The name of a segment identifies its content: a revision has another. */
  readonly periods: readonly { readonly period: Period; readonly segmentPath: string }[];
  /** All deltas of the marketplace. */
  readonly dictionaries: DictionaryFiles;
  /** The published snapshot of the same set, from which unchanged work may be taken over. */
  readonly previous?: string;
  /** Does not exist yet. Complete when snapshot.json is in it. */
  readonly outputDirectory: string;
  /** Called with the path of each segment and delta before it is read; rejects when the file is damaged. */
  readonly beforeRead?: (path: string) => Promise<void>;
  /** Called when the published snapshot is damaged; then nothing is taken over from it. */
  readonly onDamaged?: (error: Error) => void;
  readonly signal?: AbortSignal;
}

/** Writes a snapshot, and names the files it consists of, relative to the output directory. */
export type BuildSnapshot = (request: SnapshotRequest) => Promise<readonly { readonly name: string }[]>;

export function listDictionary(
  manifest: Manifest,
  dictionary: { readonly marketplace: string; readonly kind: DictionaryKind },
): readonly DictionaryDelta[] {
  return manifest.dictionaries.filter(
    (delta) => delta.marketplace === dictionary.marketplace && delta.kind === dictionary.kind,
  );
}

export function findSnapshot(manifest: Manifest, set: RankSet): PublishedSnapshot | undefined {
  return manifest.snapshots.find((snapshot) => rankSetKey(snapshot) === rankSetKey(set));
}

/** Every file that the manifest vouches for. */
export function listStoredFiles(manifest: Manifest): readonly StoredFile[] {
  return [
    ...manifest.periods.map((published) => published.segment),
    ...manifest.dictionaries.map((delta) => delta.file),
    ...manifest.snapshots.flatMap((snapshot) => snapshot.files),
    ...manifest.keptRevisions.map(({ published }) => published.segment),
  ];
}

/** The manifest as it will be without these periods; snapshots and totals excepted. */
export function withoutPeriods(manifest: Manifest, withdrawn: readonly StoredPeriod[]): Manifest {
  const isWithdrawn = (published: StoredPeriod) => withdrawn.some((period) => isAt(period, published));
  return { ...manifest, periods: manifest.periods.filter((published) => !isWithdrawn(published)) };
}

/** The manifest as it will be when the prepared periods are published, the later of two revisions; snapshots and totals excepted. */
export function withPrepared(manifest: Manifest, prepared: readonly PreparedPeriod[]): Manifest {
  const revisions = [...manifest.periods, ...prepared.map(({ period }) => period)];
  const isReplaced = (published: StoredPeriod, position: number) =>
    revisions.slice(position + 1).some((later) => isAt(later, published));
  return {
    ...manifest,
    periods: revisions
      .filter((published, position) => !isReplaced(published, position))
      .sort((a, b) => comparePeriods(a.period, b.period)),
    dictionaries: [...manifest.dictionaries, ...prepared.flatMap(({ dictionaries }) => dictionaries)],
  };
}
