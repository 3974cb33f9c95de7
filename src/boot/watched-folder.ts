// Imports the report files that appear in a folder. A file is taken when it is whole: it has not changed between two looks, and no
// browser is still writing it. It is moved when its import has ended, so that one whose import was interrupted is simply imported again.
import { lstat, mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../domain/error-code.ts';
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
const QUIET_MS = 2_000;
/** What the import says when the machine is at fault, and not the file. */
const MACHINE_FAULT = /^(Nothing was changed\. The system said|Import the file again when it is back)/;
const RETRY_MS = 60_000;

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
    const whole: string[] = [];
    for (const name of (await readdir(directory)).sort()) {
      const found = UNFINISHED.test(name) ? undefined : await lstat(join(directory, name)).catch(() => undefined);
      if (!found?.isFile() || found.size === 0) continue;
      const mark = `${found.size} ${found.mtimeMs} ${found.ino}`;
      seen.set(name, mark);
      const isQuiet = this.#seen.get(name) === mark && now().getTime() - found.mtimeMs >= QUIET_MS;
      if (isQuiet && (this.#waiting.get(name) ?? 0) <= now().getTime()) whole.push(name);
    }
    this.#seen = seen;
    for (const name of whole) {
      if (signal.aborted) return;
      await this.#import(name);
    }
  }

  async #import(name: string): Promise<void> {
    const { directory, source, signal, now, onFile } = this.#options;
    const { outcome, said } = await runImport([join(directory, name), '--source', source], signal);
    const { message = said, hint = '' } = outcome?.error ?? {};
    if (outcome?.status === 'done') {
      await this.#move(name, DONE_FOLDER);
      onFile({ file: name, status: 'done' });
    } else if (!outcome?.error || MACHINE_FAULT.test(hint)) {
      this.#waiting.set(name, now().getTime() + RETRY_MS);
      onFile({ file: name, status: 'waiting', reason: message });
    } else {
      const moved = await this.#move(name, FAILED_FOLDER);
      await writeFile(`${moved}.reason.txt`, `${message}\n${hint}\n`);
      onFile({ file: name, status: 'failed', reason: message });
    }
  }

  /** Replaces nothing that was moved before. */
  async #move(name: string, folder: string): Promise<string> {
    const { directory, now } = this.#options;
    await mkdir(join(directory, folder), { recursive: true });
    const target = join(directory, folder, name);
    const isTaken = await stat(target).then(
      () => true,
      (error: unknown) => errorCode(error) !== 'ENOENT',
    );
    const stamp = now().toISOString().replace(/[-:.]/g, '');
    const free = isTaken ? join(directory, folder, `${stamp}-${name}`) : target;
    await rename(join(directory, name), free);
    return free;
  }
}
