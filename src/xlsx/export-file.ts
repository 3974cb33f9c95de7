// The forms in which an export can be had, in one table for the endpoint, the command line and the documentation.
import type { Readable } from 'node:stream';
import type { KeywordExport } from '../domain/keyword-export.ts';
import { openCsv } from './csv.ts';
import { openNdjson } from './ndjson.ts';
import { openParquet, type TemporaryPlace } from './parquet.ts';
import { openWorkbook } from './workbook.ts';

export const FILE_FORMATS = ['xlsx', 'csv', 'ndjson', 'parquet'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

interface FileForm {
  readonly contentType: string;
  /** Throws a RequestError before anything is read when the export does not fit the form. */
  readonly open: (input: KeywordExport, place: TemporaryPlace) => Readable;
}

export const FILE_FORMS: Readonly<Record<FileFormat, FileForm>> = {
  xlsx: { contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', open: openWorkbook },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', open: openCsv },
  ndjson: { contentType: 'application/x-ndjson; charset=utf-8', open: openNdjson },
  parquet: { contentType: 'application/vnd.apache.parquet', open: openParquet },
};
