// An import beside a running server, as an operator would start it: a process of its own, on the same data directory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ReportWriter } from '../../demo/report-writer.ts';
import { OperatorError } from '../../domain/error.ts';

const PROGRAM = fileURLToPath(new URL('../main.js', import.meta.url));

/** Writes a week of so many rows, and returns its path. */
export async function writeReport({
  directory,
  rows,
}: {
  readonly directory: string;
  readonly rows: number;
}): Promise<string> {
  await using writer = new ReportWriter({
    size: { terms: rows, months: 0, weeks: 1, socialTerms: 0 },
    now: new Date(),
  });
  const path = join(directory, writer.reports[0]?.fileName ?? '');
  await writer.write(0, path);
  return path;
}

/** Resolves when the import is published. */
export async function runImport({
  path,
  dataDirectory,
}: {
  readonly path: string;
  readonly dataDirectory: string;
}): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, 'import', path], {
    env: { ...process.env, KEYRANK_DATA_DIR: dataDirectory, DATABASE_URL: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let message = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    message = chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new OperatorError('The import failed.', { hint: message });
}
