// Opens a report of any format as rows that DuckDB can read, with what is known about them so far.
import { open, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import type { ReportFormat } from '../formats/report-format.ts';
import { type FileNameHints, parseFileName } from './file-name.ts';
import { convertJsonReport } from './json-report.ts';
import { openPlainFile, type PlainFile, type PlainFileOptions, readBytes, tooLarge } from './plain-file.ts';
import { ReportFault, type ReportLimits } from './report-fault.ts';
import { parseLayout, type ReportLayout } from './report-layout.ts';
import type { ReportSize } from './report-rows.ts';
import { checkWhole } from './report-tail.ts';

/** The header and the metadata line are in here. */
const HEAD_BYTES = 1024 * 1024;

export interface ReportFile extends PlainFile {
  readonly layout: ReportLayout;
  readonly fileName: FileNameHints;
  /** From the content, where the format says it. */
  readonly marketplace: string | undefined;
  readonly departmentRows: number;
  readonly size: ReportSize;
}

export interface ReportFileOptions extends Omit<PlainFileOptions, 'copyPath'> {
  /** For the clean copy of a file that cannot be read as it is. */
  readonly temporaryDirectory: string;
  /** That it may have. */
  readonly formats: readonly ReportFormat[];
}

export async function openReportFile(options: ReportFileOptions): Promise<ReportFile> {
  const { path, temporaryDirectory } = options;
  await checkReadable(path, options.limits);
  const fileName = parseFileName(basename(path));
  const copyPath = join(temporaryDirectory, 'rows.csv');
  if (await isJson(options)) {
    const { layout, marketplace, departmentRecords } = await convertJsonReport({ ...options, copyPath });
    return {
      path: copyPath,
      layout,
      fileName,
      marketplace,
      removedNuls: 0,
      departmentRows: departmentRecords,
      size: await measure(copyPath, await readHead(copyPath)),
    };
  }
  const plain = await openPlainFile({ ...options, copyPath });
  const head = await readHead(plain.path);
  const layout = parseLayout(head, options);
  await checkWhole({ path: plain.path, columns: layout.columns.length });
  const size = await measure(plain.path, head);
  return { ...plain, layout, fileName, marketplace: undefined, departmentRows: 0, size };
}

/** A row is about as long as the first ones. */
async function measure(path: string, head: string): Promise<ReportSize> {
  const { size: bytes } = await stat(path);
  return { bytes, bytesPerRow: Buffer.byteLength(head) / head.split('\n').length };
}

async function checkReadable(path: string, limits: ReportLimits): Promise<void> {
  const { size, isFile } = await describe(path).catch((cause: unknown) => {
    throw unreadable(cause);
  });
  if (!isFile) {
    throw new OperatorError('That is not a file.', {
      hint: 'Name the report itself. A directory, a pipe or a device cannot be imported.',
    });
  }
  if (size === 0) throw new ReportFault('The file is empty.', { line: 1, hint: 'Download it again.' });
  if (size > limits.unpackedBytes) throw tooLarge(limits, 1);
}

async function describe(path: string): Promise<{ readonly size: number; readonly isFile: boolean }> {
  const found = await stat(path);
  // Opening a pipe would wait for a writer.
  if (found.isFile()) await (await open(path)).close();
  return { size: found.size, isFile: found.isFile() };
}

function unreadable(cause: unknown): OperatorError {
  const fault = cause instanceof Error ? cause.message : String(cause);
  if (/^ENOENT|^ENOTDIR/.test(fault)) {
    return new OperatorError('There is no such file.', { cause, hint: 'Check the path and the name.' });
  }
  if (fault.startsWith('EACCES')) {
    const hint = 'Let the user who runs keyrank read it.';
    return new OperatorError('The file may not be read.', { cause, hint });
  }
  return new OperatorError(`The file cannot be read: ${fault}.`, { cause });
}

async function isJson({ path, limits }: Pick<ReportFileOptions, 'path' | 'limits'>): Promise<boolean> {
  for await (const chunk of readBytes({ path, limits, onBytes: () => {} })) {
    return /^\uFEFF?\s*[{[]/.test(chunk.toString('utf8', 0, 1024));
  }
  return false;
}

async function readHead(path: string): Promise<string> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  if (buffer.readUInt16BE(0) === 0xfffe || buffer.readUInt16BE(0) === 0xfeff) {
    throw new ReportFault('The file is UTF-16 text.', { line: 1, hint: 'Save it as "CSV UTF-8".' });
  }
  return buffer.toString('utf8', 0, bytesRead);
}
