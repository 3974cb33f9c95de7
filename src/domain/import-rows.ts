// The contract between uploads and where they are written down. Any number of servers work on it; each import is worked on by one of
// them at a time, one that can get at its file, and again when that one died.
import type { Tenant, UserId } from './account.ts';
import type { Slice } from './page.ts';
import type {
  ImportChoices,
  ImportFault,
  ImportReport,
  ImportState,
  JobProgress,
  NewImport,
  ReportImport,
} from './report-import.ts';
import type { SharedPage } from './shared-item.ts';

/** Where a server keeps files. */
export interface UploadPlace {
  readonly id: string;
  readonly host: string;
}

export interface ClaimedImport {
  readonly lease: string;
  readonly found: ReportImport;
  /** How many that worked on it died. */
  readonly lost: number;
}

export interface OpenUploads {
  readonly count: number;
  /** Of all files that are needed, whether they have come yet or not. */
  readonly bytes: number;
  /** What is still to come to this place. */
  readonly missingBytesHere: number;
}

export interface KeptPart {
  readonly sizeBytes: number;
  readonly sha256: Uint8Array;
  /** Its name in the object storage; null where it lies on the disk of this server. */
  readonly object: string | null;
}

/** A part that lies in the object storage. */
export interface StoredPart {
  readonly firstByte: number;
  readonly sizeBytes: number;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  readonly object: string;
}

/** What follows a step of the worker. */
export interface ImportOutcome {
  readonly state: ImportState;
  readonly report?: ImportReport;
  readonly fault?: ImportFault;
}

export interface ImportRows {
  /** `check` throws when there is no room; nothing is added in between. */
  add(
    given: NewImport,
    by: { readonly userId: UserId; readonly place: UploadPlace; readonly check: (open: OpenUploads) => void },
  ): Promise<ReportImport>;
  list(slice: Slice): Promise<SharedPage<ReportImport>>;
  find(id: string): Promise<ReportImport | undefined>;
  /** The lease of the next part, or undefined when that is not due here, or another part is on its way. */
  claimPart(id: string, offset: number): Promise<string | undefined>;
  /** Undefined when the lease was lost. */
  keepPart(lease: string, part: KeptPart): Promise<ReportImport | undefined>;
  giveUpPart(lease: string): Promise<void>;
  /** Undefined when it is in none of these states any more. */
  move(
    id: string,
    change: {
      readonly from: readonly ImportState[];
      readonly to: ImportState;
      readonly choices?: Partial<ImportChoices>;
    },
    audit?: { readonly action: string; readonly by: Tenant },
  ): Promise<ReportImport | undefined>;
  claimWork(place: string): Promise<ClaimedImport | undefined>;
  /** Whether the lease is still held. */
  tell(lease: string, progress: JobProgress | null): Promise<boolean>;
  /** False, with nothing changed, when the lease was lost. */
  settle(lease: string, outcome: ImportOutcome): Promise<boolean>;
  /** Another process may take the work up at once. */
  giveBack(lease: string): Promise<void>;
  /** Of an import whose parts lie in the object storage, in their order. */
  listParts(id: string): Promise<readonly StoredPart[]>;
  /** Ids of imports whose files are needed here. */
  listKept(place: string): Promise<ReadonlySet<string>>;
  /** Ids of imports whose rejects can be downloaded. */
  listWithRejects(place: string): Promise<ReadonlySet<string>>;
  /** Notes of imports that are over for so long that their rejects are gone, and gives the names of their folders. */
  forgetRejects(place: string, ageMs: number): Promise<readonly string[]>;
  /** Cancels what was left alone for so long, and forgets the oldest that are over. */
  expire(idleMs: number): Promise<void>;
}
