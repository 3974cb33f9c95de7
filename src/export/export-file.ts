// The forms in which an export can be had, in one table for the endpoint, the command line and the documentation.
import type { Readable } from 'node:stream';
import type { ExportContent, FileFormat, KeywordExport } from '../domain/keyword-export.ts';
import { exportColumns } from './columns.ts';
import { openCsv } from './csv.ts';
import { openNdjson } from './ndjson.ts';
import { openParquet, type TemporaryPlace } from './parquet.ts';
import { checkSheetLimits, openWorkbook } from './workbook.ts';

interface FileForm {
  readonly contentType: string;
  /** Throws a RequestError when the export does not fit the form. */
  readonly check: (content: ExportContent) => void;
  /** Checks, then is read; nothing is written ahead of its reader. */
  readonly open: (input: KeywordExport, place: TemporaryPlace) => Readable;
}

export const FILE_FORMS: Readonly<Record<FileFormat, FileForm>> = {
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    check: checkSheetLimits,
    open: openWorkbook,
  },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', check: checkColumns, open: openCsv },
  ndjson: { contentType: 'application/x-ndjson; charset=utf-8', check: checkColumns, open: openNdjson },
  parquet: { contentType: 'application/vnd.apache.parquet', check: checkColumns, open: openParquet },
};

function checkColumns({ periods }: ExportContent): void {
  exportColumns(periods);
}
