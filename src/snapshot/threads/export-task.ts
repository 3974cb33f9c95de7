// What the export thread is asked: a file is opened, taken piece by piece, and closed, however it ends.
import type { ExportFile } from '../../domain/keyword-export.ts';
import type { SearchPlan } from '../../domain/search-plan.ts';

export type ExportTask =
  | { readonly kind: 'open'; readonly exportId: number; readonly plan: SearchPlan; readonly file: ExportFile }
  | { readonly kind: 'take'; readonly exportId: number }
  | { readonly kind: 'close'; readonly exportId: number };

export interface ExportPiece {
  /** Undefined at the end of the file, and where nothing was asked for. */
  readonly bytes: Uint8Array | undefined;
  /** Rows written so far; some of them may not have left the thread yet. */
  readonly rowCount: number;
}
