// Secrets that an operator enters: from a file, from the environment, from a prompt that shows nothing, or from a pipe. Never from an
// argument: those stand in the history of the shell and in the list of processes.
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { OperatorError } from '../domain/error.ts';

export interface WantedSecret {
  /** For people. */
  readonly name: string;
  /** The variable that may hold it. */
  readonly variable: string;
  /** The file that holds it, when one was named. */
  readonly file: string | undefined;
  /** A password may be several words. */
  readonly hasSpaces?: boolean;
}

const MAX_SECRET_CHARACTERS = 8192;

/** Each from the first place that has it. What is left is asked for, in order. */
export async function readSecrets(wanted: readonly WantedSecret[]): Promise<readonly string[]> {
  const found: (string | undefined)[] = [];
  for (const { file, variable } of wanted) {
    const text = file === undefined ? process.env[variable] : await readSecretFile(file);
    found.push(text?.trim() || undefined);
  }
  const missing = wanted.filter((_, place) => found[place] === undefined);
  const entered = missing.length === 0 ? [] : await askFor(missing);
  return wanted.map(({ name, variable, hasSpaces }, place) => {
    const secret = found[place] ?? entered.shift() ?? '';
    if (secret !== '' && secret.length <= MAX_SECRET_CHARACTERS && (hasSpaces || !/\s/.test(secret))) return secret;
    throw new OperatorError(`There is no ${name}, or it is not one.`, {
      hint: `Enter it when asked, name a file that holds it alone, or set ${variable}.`,
    });
  });
}

async function readSecretFile(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((cause: Error) => {
    throw new OperatorError(`The file ${file} cannot be read: ${cause.message}.`, { cause });
  });
}

/** In a terminal one after the other, without showing them; from a pipe one line each. */
async function askFor(missing: readonly WantedSecret[]): Promise<string[]> {
  const { stdin, stderr } = process;
  const isTerminal = stdin.isTTY === true;
  const lines = createInterface({ input: stdin, ...(isTerminal && { output: nowhere(), terminal: true }) });
  const entered: string[] = [];
  try {
    const reading = lines[Symbol.asyncIterator]();
    for (const { name } of missing) {
      if (isTerminal) stderr.write(`${name}: `);
      const { value, done } = await reading.next();
      if (isTerminal) stderr.write('\n');
      if (done) break;
      entered.push(value.trim());
    }
    return entered;
  } finally {
    lines.close();
  }
}

/** Where a terminal would repeat what is typed. */
function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
