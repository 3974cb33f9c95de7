import { type Command, CommanderError } from 'commander';
import { OperatorError, RequestError } from '../domain/error.ts';
import { errorMessage } from '../domain/error-code.ts';
import { printable } from './output.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Runs the command line of this process and sets its exit code. */
export async function runProgram(program: Command): Promise<void> {
  process.stdout.on('error', ignoreClosedPipe);
  // Where the log goes there may be no room left. There is nobody to tell, and a server goes on without its log.
  process.stderr.on('error', () => {});
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = explain(error);
  }
}

/** Whoever reads may stop, as head does; the command ends as it would have. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Tells the operator what went wrong and what to do; a stack trace only for defects. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof OperatorError || error instanceof RequestError) {
    console.error(printable(`error: ${error.message}`));
    // What callers of the API are not told, who runs the service is.
    if (error instanceof RequestError && error.cause) console.error(printable(errorMessage(error.cause)));
    if (error.hint !== undefined) console.error(printable(error.hint));
  } else console.error(error);
  return EXIT_FAILED;
}
