// The manifest says which rank data is published: it alone decides whether a period, a dictionary entry or a snapshot
// exists. Files come first, the manifest row last, in one transaction (docs/data.md).
import { comparePeriods, type Frequency, type IsoDate, isSamePeriod, type Period } from './period.ts';
import type { RankSet, RankSource } from './store.ts';

export const DICTIONARY_KINDS = ['terms', 'products', 'brands', 'categories'] as const;
export type DictionaryKind = (typeof DICTIONARY_KINDS)[number];

/** A file that never changes once it is in the manifest. */
export interface StoredFile {
  /** Relative to the data directory, with forward slashes. */
  readonly path: string;
  readonly sizeBytes: number;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

export interface PublishedPeriod {
  readonly marketplace: string;
  readonly source: RankSource;
  readonly period: Period;
  /** 1 for the first import of a period, one more for each that replaced it. */
  readonly revision: number;
  readonly startDate: IsoDate;
  readonly endDate: IsoDate;
  readonly keywords: number;
  /** Every rank, click share and conversion share that is known. */
  readonly dataPoints: number;
  readonly publishedAt: Date;
  /** Name of the report file, without its directory. */
  readonly sourceFile: string;
  readonly warnings: readonly string[];
  /** Equal for equal content, whatever the order of rows and the state of the dictionaries. */
  readonly digest: string;
  readonly segment: StoredFile;
}

/** A revision that is published no more. While it is kept it can come back. */
export interface KeptRevision {
  readonly published: PublishedPeriod;
  readonly endedAt: Date;
  readonly reason: 'replaced' | 'withdrawn';
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

export interface PublishedSnapshot {
  readonly marketplace: string;
  readonly source: RankSource;
  readonly frequency: Frequency;
  readonly files: readonly StoredFile[];
}

export interface Manifest {
  /** Drawn once per database. The data directory repeats it, so that one is never swept by the manifest of another. */
  readonly id: string;
  /** Grows by one with every publication; 0 when nothing was ever published. */
  readonly version: number;
  /** When the newest publication happened; null when there was none. */
  readonly computedAt: Date | null;
  readonly totalDataPoints: number;
  /** Chronological within each set. */
  readonly periods: readonly PublishedPeriod[];
  /** By sequence within each marketplace and kind. */
  readonly dictionaries: readonly DictionaryDelta[];
  readonly snapshots: readonly PublishedSnapshot[];
  /** Of each period by revision. */
  readonly keptRevisions: readonly KeptRevision[];
}

/** A period whose files are written, but which is not published yet, with the dictionary entries it needs. */
export interface PreparedPeriod {
  readonly period: PublishedPeriod;
  readonly dictionaries: readonly DictionaryDelta[];
}

/** What becomes visible in one step: periods, and for each set of them the snapshot that replaces the older one. */
export interface Publication {
  readonly prepared: readonly PreparedPeriod[];
  /** Published periods that are gone afterwards. */
  readonly withdrawn?: readonly PublishedPeriod[];
  readonly snapshots: readonly PublishedSnapshot[];
  readonly publishedAt: Date;
  /** What an operator asked for, when it is more than an import; written to the audit log. */
  readonly action?: PublicationAction;
}

export interface PublicationAction {
  readonly action: 'period.withdraw' | 'period.restore-revision';
  readonly details: Readonly<Record<string, unknown>>;
}

/** What a snapshot is built from: one set of periods, and the dictionaries of its marketplace. All paths are absolute. */
export interface SnapshotRequest extends RankSet {
  /** Oldest first, the period that is being published included. */
  readonly periods: readonly { readonly period: Period; readonly segmentPath: string }[];
  /** Delta files by sequence; later ones win. */
  readonly dictionaries: Readonly<Record<DictionaryKind, readonly string[]>>;
  /** The published snapshot of the same set, from which unchanged work may be taken over. */
  readonly previous?: string;
  /** Does not exist yet. */
  readonly outputDirectory: string;
  /** Called with the path of each segment and delta before it is read; rejects when the file is damaged. */
  readonly beforeRead?: (path: string) => Promise<void>;
  /** Called when the published snapshot is damaged; then nothing is taken over from it. */
  readonly onDamaged?: (error: Error) => void;
  readonly signal?: AbortSignal;
}

/** Writes a snapshot, and names the files it consists of, relative to the output directory. */
export type BuildSnapshot = (request: SnapshotRequest) => Promise<readonly { readonly name: string }[]>;

export function listPeriods(manifest: Manifest, set: RankSet): readonly PublishedPeriod[] {
  return manifest.periods.filter(
    (published) =>
      published.marketplace === set.marketplace &&
      published.source === set.source &&
      published.period.frequency === set.frequency,
  );
}

export function listDictionary(
  manifest: Manifest,
  dictionary: { readonly marketplace: string; readonly kind: DictionaryKind },
): readonly DictionaryDelta[] {
  return manifest.dictionaries.filter(
    (delta) => delta.marketplace === dictionary.marketplace && delta.kind === dictionary.kind,
  );
}

export function findSnapshot(manifest: Manifest, set: RankSet): PublishedSnapshot | undefined {
  return manifest.snapshots.find(
    (snapshot) =>
      snapshot.marketplace === set.marketplace &&
      snapshot.source === set.source &&
      snapshot.frequency === set.frequency,
  );
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

export function isOfSamePeriod(a: PublishedPeriod, b: PublishedPeriod): boolean {
  return a.marketplace === b.marketplace && a.source === b.source && isSamePeriod(a.period, b.period);
}

/** The number for the next revision of a period. One that is kept is not given again: it names a segment. */
export function nextRevision(
  manifest: Manifest,
  place: { readonly marketplace: string; readonly source: RankSource; readonly period: Period },
): number {
  const known = [...manifest.periods, ...manifest.keptRevisions.map(({ published }) => published)].filter(
    ({ marketplace, source, period }) =>
      marketplace === place.marketplace && source === place.source && isSamePeriod(period, place.period),
  );
  return 1 + Math.max(0, ...known.map(({ revision }) => revision));
}

/** The manifest as it will be without these periods; snapshots and totals excepted. */
export function withoutPeriods(manifest: Manifest, withdrawn: readonly PublishedPeriod[]): Manifest {
  const isWithdrawn = (published: PublishedPeriod) => withdrawn.some((period) => isOfSamePeriod(period, published));
  return { ...manifest, periods: manifest.periods.filter((published) => !isWithdrawn(published)) };
}

/** The manifest as it will be when the prepared periods are published, the later of two revisions; snapshots and totals excepted. */
export function withPrepared(manifest: Manifest, prepared: readonly PreparedPeriod[]): Manifest {
  const revisions = [...manifest.periods, ...prepared.map(({ period }) => period)];
  const isReplaced = (published: PublishedPeriod, position: number) =>
    revisions.slice(position + 1).some((later) => isOfSamePeriod(later, published));
  return {
    ...manifest,
    periods: revisions
      .filter((published, position) => !isReplaced(published, position))
      .sort((a, b) => comparePeriods(a.period, b.period)),
    dictionaries: [...manifest.dictionaries, ...prepared.flatMap(({ dictionaries }) => dictionaries)],
  };
}
