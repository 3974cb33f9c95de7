// The forms in which an export can be had, in one table for the endpoint, the command line and the documentation.
import type { Readable } from 'node:stream';
import type { FileFormat } from '../domain/keyword-export.ts';
import { openCsv } from './csv.ts';
import { openNdjson } from './ndjson.ts';
import { openParquet, type TemporaryPlace } from './parquet.ts';
import type { Table, TableContent } from './table.ts';
import { checkSheetLimits, openWorkbook } from './workbook.ts';

interface FileForm {
  readonly contentType: string;
  /** Throws a RequestError when the table does not fit the form. */
  readonly check: (content: TableContent) => void;
  /** Checks, then is read; nothing is written ahead of its reader. */
  readonly open: <Row>(table: Table<Row>, place: TemporaryPlace) => Readable;
}

export const FILE_FORMS: Readonly<Record<FileFormat, FileForm>> = {
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    check: checkSheetLimits,
    open: openWorkbook,
  },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', check: () => {}, open: openCsv },
  ndjson: { contentType: 'application/x-ndjson; charset=utf-8', check: () => {}, open: openNdjson },
  parquet: { contentType: 'application/vnd.apache.parquet', check: () => {}, open: openParquet },
};
