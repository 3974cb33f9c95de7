// Imports the report files that appear in a folder. A file is taken when it is whole: it has not changed between two looks, and no
// browser is still writing it. It is moved when its import has ended, so that one whose import was interrupted is simply imported again.
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorMessage } from '../domain/error-code.ts';
import type { RankSource } from '../domain/store.ts';
import { runImport } from './import-process.ts';

export interface WatchedFolderOptions {
  readonly directory: string;
  readonly source: RankSource;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  readonly onFile: (outcome: WatchedOutcome) => void;
}

export interface WatchedOutcome {
  readonly file: string;
  readonly status: 'done' | 'failed' | 'waiting';
  /** Why it was not imported, in one sentence. */
  readonly reason?: string;
}

export const DONE_FOLDER = 'done';
export const FAILED_FOLDER = 'failed';

/** Names of files that somebody is still writing, and of what is no report. */
const UNFINISHED = /^[.~]|\.(part|partial|crdownload|download|tmp|swp|filepart)$/i;
/** A file that changed within the last moments may still be written to. */
const QUIET_MS = 8_000;
/** A table that ends within a row is most often one whose sender pauses; some programs end the last row with nothing. */
const OPEN_ROW_QUIET_MS = 60_000;
const TABLE = /\.(csv|tsv|txt)$/i;
/** What cannot be imported may be the beginning of a file whose sender pauses; an empty file is often a placeholder. */
const REFUSED_QUIET_MS = 60_000;
const EMPTY_QUIET_MS = 3_600_000;
const REFUSED_RETRY_MS = 15_000;
/** What the import says when the machine is at fault, and not the file. */
const MACHINE_FAULT = /^(Nothing was changed\. The system said|Import the file again when it is back)/;
const RETRY_MS = 60_000;
const NEWLINE = 0x0a;
/** Of a name, so that it can be made longer; the end tells the format. */
const MAX_NAME_BYTES = 200;

interface WholeFile {
  readonly name: string;
  readonly mark: string;
  readonly changedMs: number;
}

export class WatchedFolder {
  readonly #options: WatchedFolderOptions;
  /** Size and time of each file at the last look. */
  #seen = new Map<string, string>();
  /** Files that wait because of the machine, until when. */
  readonly #waiting = new Map<string, number>();

  constructor(options: WatchedFolderOptions) {
    this.#options = options;
  }

  /** Imports what is whole. Call it every few seconds. */
  async look(): Promise<void> {
    const { directory, signal, now } = this.#options;
    const seen = new Map<string, string>();
    const whole: WholeFile[] = [];
    const names = (await readdir(directory)).sort();
    // Before anything is imported: what cannot be moved would be imported again and again.
    for (const folder of [DONE_FOLDER, FAILED_FOLDER]) await mkdir(join(directory, folder), { recursive: true });
    for (const name of names) {
      const file = UNFINISHED.test(name) ? undefined : await this.#find(name);
      if (!file) continue;
      seen.set(name, file.mark);
      const quietForMs = now().getTime() - file.changedMs;
      const isQuiet = this.#seen.get(name) === file.mark && quietForMs >= (file.isEmpty ? EMPTY_QUIET_MS : QUIET_MS);
      if (!isQuiet || (this.#waiting.get(name) ?? 0) > now().getTime()) continue;
      if (quietForMs >= OPEN_ROW_QUIET_MS || !(await this.#endsWithinRow(name))) whole.push(file);
    }
    this.#seen = seen;
    for (const name of this.#waiting.keys()) if (!seen.has(name)) this.#waiting.delete(name);
    for (const file of whole) {
      if (signal.aborted) return;
      // The import of the one before it may have taken minutes.
      if ((await this.#find(file.name))?.mark === file.mark) await this.#import(file);
    }
  }

  /** Undefined for what is no file: nothing is followed or opened that could lead elsewhere or keep us waiting. */
  async #find(name: string): Promise<(WholeFile & { readonly isEmpty: boolean }) | undefined> {
    const found = await lstat(join(this.#options.directory, name)).catch(() => undefined);
    if (!found?.isFile()) return undefined;
    const mark = `${found.size} ${found.mtimeMs} ${found.ino}`;
    return { name, mark, changedMs: found.mtimeMs, isEmpty: found.size === 0 };
  }

  async #endsWithinRow(name: string): Promise<boolean> {
    if (!TABLE.test(name)) return false;
    const path = join(this.#options.directory, name);
    // What stood here a moment ago may be a link or a pipe by now.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    try {
      await using file = await open(path, flags);
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
      return bytesRead === 1 && buffer[0] !== NEWLINE;
    } catch {
      return false;
    }
  }

  async #import({ name, mark, changedMs }: WholeFile): Promise<void> {
    const { directory, source, signal, now, onFile } = this.#options;
    const { outcomes, said } = await runImport([join(directory, name), '--source', source], signal);
    const [outcome] = outcomes;
    const { message = said, hint = '' } = outcome?.error ?? {};
    const wait = (forMs: number, reason: string) => {
      this.#waiting.set(name, now().getTime() + forMs);
      onFile({ file: name, status: 'waiting', reason });
    };
    const isStill = (await this.#find(name))?.mark === mark;
    if (outcome?.status !== 'done' && (!outcome?.error || MACHINE_FAULT.test(hint))) return wait(RETRY_MS, message);
    if (outcome.status === 'done' && !isStill) return wait(0, 'The file changed while it was imported.');
    if (outcome.status === 'failed' && (!isStill || now().getTime() - changedMs < REFUSED_QUIET_MS))
      return wait(REFUSED_RETRY_MS, message);
    try {
      const moved = await this.#move(name, outcome.status === 'done' ? DONE_FOLDER : FAILED_FOLDER);
      if (outcome.status === 'failed') await writeFile(`${moved}.reason.txt`, `${message}\n${hint}\n`);
    } catch (error) {
      return wait(RETRY_MS, `The file cannot be moved: ${errorMessage(error)}`);
    }
    onFile({ file: name, status: outcome.status, ...(outcome.status === 'failed' && { reason: message }) });
  }

  /** Replaces nothing that was moved before. */
  async #move(name: string, folder: string): Promise<string> {
    const { directory, now } = this.#options;
    const shortName = Buffer.byteLength(name) > MAX_NAME_BYTES ? name.slice(-Math.floor(MAX_NAME_BYTES / 4)) : name;
    const target = join(directory, folder, shortName);
    const isTaken = await stat(target).then(
      () => true,
      (error: unknown) => errorCode(error) !== 'ENOENT',
    );
    const stamp = now().toISOString().replace(/[-:.]/g, '');
    const free = isTaken ? join(directory, folder, `${stamp}-${shortName}`) : target;
    await rename(join(directory, name), free);
    return free;
  }
}
