import { OperatorError } from '../domain/error.ts';

/** A signal that the first SIGINT or SIGTERM aborts, for as long as the work goes on that it stops. */
export function openStopSignal(message: string): Disposable & { readonly signal: AbortSignal } {
  const stopping = new AbortController();
  const stop = () => stopping.abort(new OperatorError(message));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return {
    signal: stopping.signal,
    [Symbol.dispose]: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  };
}
