// The last line of defence of a server: what was thrown where nobody catches it. Both kinds are defects, logged with their
// cause and counted.
//
// A rejected promise that nobody handles belongs to one piece of work, which has ended; everything else goes on as before. The
// process stays: to end it would give whoever can cause one the power to end every server.
//
// An exception that nobody catches was thrown out of a callback, of a socket, a timer or a database connection, halfway through
// a change of its state. A connection in such a state could give one tenant the answer of another. The process therefore stops
// as for SIGTERM, answering what it has begun, and exits with 1 so that its supervisor starts it again. Work in the queues was
// counted before it was begun, so the same work can do this a few times only.
import type { Logger } from 'pino';

export type ProcessFault = 'unhandled_rejection' | 'uncaught_exception';

interface GuardOptions {
  readonly logger: Pick<Logger, 'error' | 'fatal'>;
  readonly onFault: (fault: ProcessFault) => void;
}

export function guardProcess({ logger, onFault }: GuardOptions): AsyncDisposable {
  const onRejection = (reason: unknown) => {
    onFault('unhandled_rejection');
    logger.error(
      { err: asError(reason) },
      'a promise was rejected and nobody handled it: a defect; the service goes on',
    );
  };
  const onException = (error: unknown) => {
    onFault('uncaught_exception');
    logger.fatal({ err: asError(error) }, 'an exception was thrown and nobody caught it: a defect; the service stops');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  };
  process.on('unhandledRejection', onRejection).on('uncaughtException', onException);
  return {
    [Symbol.asyncDispose]: async () => {
      process.off('unhandledRejection', onRejection).off('uncaughtException', onException);
    },
  };
}

/** A logger shows the stack of errors only. */
function asError(fault: unknown): Error {
  return fault instanceof Error ? fault : new Error('something that is no error was thrown', { cause: fault });
}
