// Where files that are being sent lie until they are imported: in the data directory of the server that takes them, or in the object
// storage, from where every server goes on with them.
import type { KeptPart, UploadPlace } from '../domain/import-rows.ts';
import type { ImportReport, ReportImport } from '../domain/report-import.ts';

export type NamedUpload = Pick<ReportImport, 'id' | 'fileName'>;
export type WholeUpload = NamedUpload & Pick<ReportImport, 'sizeBytes'>;

export interface ReceivedPart {
  readonly offset: number;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Throws when it is not what it should be. */
  readonly check: (part: Pick<KeptPart, 'sizeBytes' | 'sha256'>) => void;
}

export interface UploadFiles {
  /** What servers that see the same files have in common. */
  readonly place: UploadPlace;
  /** Whether files take room on this disk only while they are worked on. */
  readonly areElsewhere: boolean;
  /** Resolves as soon as the part is safe. */
  write(file: NamedUpload, part: ReceivedPart): Promise<KeptPart>;
  /** Gives the path of the whole file, and its checksum if it is asked for. */
  finish(
    file: WholeUpload,
    options: {
      readonly hashes: boolean;
      readonly signal?: AbortSignal;
      readonly onBytes?: (bytesDone: number) => void;
    },
  ): Promise<{ readonly path: string; readonly sha256: string }>;
  remove(id: string): Promise<void>;
  freeBytes(): Promise<number>;
  /** The rejects that an import of this server left in its data directory are kept for all servers that see the files. */
  keepRejects(id: string, report: ImportReport): Promise<ImportReport>;
  /** The path of a copy, which whoever asked removes with its folder; undefined where they lie in the data directory for good. */
  fetchRejects(report: ImportReport): Promise<string | undefined>;
  /** Removes the files of all imports but these, and rejects of all but those. */
  sweep(list: {
    readonly kept: () => Promise<ReadonlySet<string>>;
    readonly withRejects: () => Promise<ReadonlySet<string>>;
  }): Promise<void>;
}
