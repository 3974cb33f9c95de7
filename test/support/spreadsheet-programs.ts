// Programs that are not ours, to judge our workbooks: Python's standard library, openpyxl, LibreOffice. They come from
// Debian; a test that cannot find one fails and says what to install, because skipping would pass for success.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const READER = fileURLToPath(new URL('read-workbook.py', import.meta.url));
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Debian's own Python first: another one in the path does not see Debian's packages. */
const PYTHONS = ['/usr/bin/python3', 'python3'];

export interface SheetCell {
  readonly type: string;
  readonly value: string | null;
  readonly text: string | null;
  readonly children: readonly string[];
}

export interface WorkbookParts {
  readonly entries: readonly { readonly name: string; readonly at: readonly number[] }[];
  readonly elements: Readonly<Record<string, readonly string[]>>;
  readonly order: readonly string[];
  readonly targets: readonly (readonly [string, string | null])[];
  readonly keywords: Readonly<Record<string, SheetCell>>;
  readonly about: Readonly<Record<string, SheetCell>>;
}

export interface OpenpyxlBook {
  readonly sheets: readonly string[];
  readonly dimensions: string;
  readonly frozen: string;
  readonly filter: string;
  readonly widths: Readonly<Record<string, number>>;
  readonly rows: readonly (readonly unknown[])[];
  readonly types: readonly (readonly string[])[];
  readonly formats: readonly (readonly string[])[];
  readonly fills: readonly (readonly (string | null)[])[];
  readonly about: readonly (readonly (string | null)[])[];
  readonly links: number;
}

export async function readParts(workbook: Buffer): Promise<WorkbookParts> {
  const python = findProgram(PYTHONS, { check: ['-c', 'pass'], install: 'python3' });
  return inFolder(workbook, { name: 'export.xlsx' }, async ({ file }) => {
    const { stdout } = await run(python, [READER, 'parts', file], { maxBuffer: MAX_OUTPUT_BYTES });
    return JSON.parse(stdout) as WorkbookParts;
  });
}

export async function readWithOpenpyxl(workbook: Buffer): Promise<OpenpyxlBook> {
  const python = findProgram(PYTHONS, { check: ['-c', 'import openpyxl'], install: 'python3-openpyxl' });
  return inFolder(workbook, { name: 'export.xlsx' }, async ({ file }) => {
    // Warnings are errors: openpyxl warns where Excel would offer a repair.
    const { stdout } = await run(python, ['-W', 'error', READER, 'openpyxl', file], { maxBuffer: MAX_OUTPUT_BYTES });
    return JSON.parse(stdout) as OpenpyxlBook;
  });
}

/** A CSV file as LibreOffice Calc reads it with a separator: as a flat document, where formulas have an attribute of their own. */
export async function openCsvWithLibreOffice(csv: Buffer, separator: string): Promise<string> {
  // Separator, quote, UTF-8, from the first line on, no column formats, quoted numbers as they look, and formulas are run.
  const options = `${separator.charCodeAt(0)},34,76,1,,0,false,true,false,false,false,0,true`;
  const officeArguments = [`--infilter=Text - txt - csv (StarCalc):${options}`];
  const files = await convertWithLibreOffice(csv, 'fods', { name: 'export.csv', officeArguments });
  return files.get('export.fods') ?? '';
}

/** The rows of a CSV file as Python's csv module reads it with a separator. */
export async function readCsvWithPython(csv: Buffer, delimiter: string): Promise<readonly (readonly string[])[]> {
  const python = findProgram(PYTHONS, { check: ['-c', 'pass'], install: 'python3' });
  const program =
    'import csv, json, sys\n' +
    'with open(sys.argv[1], encoding="utf-8-sig", newline="") as f: ' +
    'json.dump(list(csv.reader(f, delimiter=sys.argv[2])), sys.stdout)';
  return inFolder(csv, { name: 'export.csv' }, async ({ file }) => {
    const { stdout } = await run(python, ['-c', program, file, delimiter], { maxBuffer: MAX_OUTPUT_BYTES });
    return JSON.parse(stdout);
  });
}

/** Converts with LibreOffice Calc; returns the files it made, by name. `filter` as in `soffice --convert-to`. */
export async function convertWithLibreOffice(
  workbook: Buffer,
  filter: string,
  { name = 'export.xlsx', officeArguments = [] as readonly string[] } = {},
): Promise<ReadonlyMap<string, string>> {
  const office = findProgram(['soffice', 'libreoffice'], { check: ['--version'], install: 'libreoffice-calc' });
  return inFolder(workbook, { name }, async ({ file, folder }) => {
    const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
    const out = join(folder, 'out');
    await run(office, ['--headless', profile, ...officeArguments, '--convert-to', filter, '--outdir', out, file]);
    const names = await readdir(out);
    return new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(join(out, name), 'utf8')] as const)),
    );
  });
}

function findProgram(
  names: readonly string[],
  { check, install }: { readonly check: readonly string[]; readonly install: string },
): string {
  const found = names.find((name) => spawnSync(name, check).status === 0);
  if (found === undefined) throw new Error(`This test needs a program that is missing: apt-get install ${install}`);
  return found;
}

interface Place {
  readonly file: string;
  readonly folder: string;
}

async function inFolder<T>(
  bytes: Buffer,
  { name }: { readonly name: string },
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'keyrank-workbook-'));
  try {
    const file = join(folder, name);
    await writeFile(file, bytes);
    return await work({ file, folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
