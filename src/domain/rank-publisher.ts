// What imports and operators change published ranks through. An engine implements it beside its RankStore; servers learn of what
// was published by themselves.
//
// One at a time. Over all processes one batch is open; others wait. A process that loses that right publishes nothing any more.
//
// All or nothing. What was added to a batch and withdrawn becomes visible in one step, with a version one higher. Whatever fails
// or dies before it leaves the published state as it was.
//
// Revisions. What is replaced by other content, or withdrawn, is kept for a while and can come back.
import { isSamePeriod } from './period.ts';
import type { SearchRow } from './search-row.ts';
import {
  type KeptRevision,
  type PeriodPlace,
  type PublishedPeriod,
  type RankCatalog,
  type RankSet,
  rankSetKey,
} from './store.ts';
import type { StoredFile } from './stored-file.ts';

/**
 * `Rows` is what the engine takes rows from: any rows, or those of one kind that it takes faster. `Transaction` is one of the
 * database that its files belong to.
 */
export interface RankPublisher<Rows extends PeriodRows = PeriodRows, Transaction = never> {
  /** What is published now. Waits for nobody. */
  readCatalog(): Promise<RevisionCatalog>;
  openBatch<T>(options: BatchOptions, work: (batch: PublicationBatch<Rows>) => Promise<T>): Promise<T>;
  /** Reads again all that is published or kept, and compares it with what was written. */
  verify(options: { readonly onItem: (name: string) => void }): Promise<Verification>;
  /** Given where the engine has files beside the database, for whoever copies them away and back. */
  readonly files?: RankFiles<Transaction>;
}

/** The files that belong to the state of the tables in a transaction. */
export interface RankFiles<Transaction> {
  list(transaction: Transaction): Promise<readonly StoredFile[]>;
  /** Makes sure that they lie in the data directory. */
  fetch(files: readonly StoredFile[]): Promise<void>;
  /**
   * Puts tables and files in the place of nothing, in a transaction that sees no published period. Files of an empty database are
   * what a restore that was killed left behind, and go; those of another one are not touched.
   */
  restore(
    transaction: Transaction,
    steps: { readonly fillTables: () => Promise<void>; readonly copyFiles: () => Promise<void> },
  ): Promise<void>;
  /** The transaction is committed: the files belong to what was restored alone. */
  claimRestored(): Promise<void>;
}

export interface PublicationBatch<Rows extends PeriodRows = PeriodRows> {
  /** Resolves when periods may be added; a report may be read meanwhile. */
  readonly ready: Promise<void>;
  /** What will be published, with all that was added and withdrawn; its version and totals are those of before. */
  readonly draft: RevisionCatalog;
  /** These rows will most likely be added: the engine may begin with what it can do before their digest is known. */
  expect(place: PeriodPlace, rows: Rows): Promise<void>;
  /** Whether a published period of the same content is stored whole. If not, it is added again, which mends it. */
  isIntact(published: PublishedPeriod, rows: Rows): Promise<boolean>;
  /** Writes a period down; it is published with the batch. Rows are not read after that. */
  add(period: PublishedPeriod, rows: Rows, options: StageOptions): Promise<{ readonly newTerms: number }>;
  withdraw(published: PublishedPeriod): void;
  /** A kept revision comes back under a new number. */
  restore(kept: KeptRevision, revision: number): Promise<void>;
  /** Nothing happens when there is nothing to publish. */
  publish(options: StageOptions & { readonly action?: PublicationAction }): Promise<void>;
}

/** What is published, and what can come back. */
export interface RevisionCatalog extends RankCatalog {
  /** Of each period by revision. */
  readonly keptRevisions: readonly KeptRevision[];
}

/** The rows of one period of a report: checked, normalised, one for each keyword. */
export interface PeriodRows {
  /** In any order; read as often as asked for. */
  batches(): AsyncIterable<readonly PeriodRow[]>;
}

export interface PeriodRow extends Pick<SearchRow, 'searchTerm' | 'brands' | 'products' | 'categories'> {
  readonly rank: number;
}

export interface BatchOptions {
  /** Called once when another batch is open. */
  readonly onWait: () => void;
  /** Told in plain words of what was found wrong and mended. */
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type PublicationStage = 'numbering' | 'writing' | 'snapshot' | 'publishing';

export interface StageOptions {
  readonly onStage: (stage: PublicationStage) => void;
}

/** What an operator asked for, when it is more than an import; written to the audit log. */
export interface PublicationAction {
  readonly action: 'period.withdraw' | 'period.restore-revision';
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Verification {
  readonly files: number;
  readonly bytes: number;
  readonly faults: readonly StorageFault[];
}

export interface StorageFault {
  readonly path: string;
  readonly fault: 'missing' | 'unreadable' | 'size' | 'checksum';
  readonly message: string;
}

export function isAt(published: PeriodPlace, place: PeriodPlace): boolean {
  const { marketplace, source, period } = published;
  return marketplace === place.marketplace && source === place.source && isSamePeriod(period, place.period);
}

export function listPeriods<Published extends PublishedPeriod>(
  { periods }: { readonly periods: readonly Published[] },
  set: RankSet,
): readonly Published[] {
  const key = rankSetKey(set);
  return periods.filter((published) => rankSetKey(rankSetOf(published)) === key);
}

export function rankSetOf({ marketplace, source, period }: PeriodPlace): RankSet {
  return { marketplace, source, frequency: period.frequency };
}

/** The number for the next revision of a period. One that is kept is not given again. */
export function nextRevision({ periods, keptRevisions }: RevisionCatalog, place: PeriodPlace): number {
  const known = [...periods, ...keptRevisions.map(({ published }) => published)].filter((each) => isAt(each, place));
  return 1 + Math.max(0, ...known.map(({ revision }) => revision));
}
