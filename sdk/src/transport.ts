// What stands between the generated client and fetch: answers that fail become errors, and a limit is waited for when asked.
import { KeyrankError, readError, unexpectedAnswer } from './keyrank-error.ts';

export interface TransportOptions {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly maxWaitSeconds: number;
}

/** A wait of no time would make an endless loop that the bound never ends. */
const MIN_WAIT_SECONDS = 1;

export function createTransport({ fetch, maxWaitSeconds }: TransportOptions): typeof globalThis.fetch {
  return async (input) => {
    // The generated client gives nothing else.
    const request = input as Request;
    let leftSeconds = maxWaitSeconds;
    for (;;) {
      // A body can be sent once only, so a copy goes out.
      const answer = await send(request.clone(), fetch);
      if (answer.ok) return answer;
      const error = await readError(answer);
      const waitSeconds = Math.max(MIN_WAIT_SECONDS, error.retryAfterSeconds ?? Number.POSITIVE_INFINITY);
      if (!mayRepeat(request, error) || waitSeconds > leftSeconds) throw error;
      leftSeconds -= waitSeconds;
      await pause(waitSeconds * 1000, request.signal);
    }
  };
}

/** A 429 was refused before anything was done. A 503 may have come after the work, so what is repeated must be harmless. */
function mayRepeat(request: Request, { status }: KeyrankError): boolean {
  return status === 429 || (status === 503 && (request.method === 'GET' || request.headers.has('idempotency-key')));
}

async function send(request: Request, fetch: TransportOptions['fetch']): Promise<Response> {
  try {
    const response = await fetch(request);
    if (!response.ok) return response;
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/html')) throw unexpectedAnswer(response);
    if (!type.startsWith('application/json')) return response;
    // Read to its end here, so that a connection lost halfway is an error like any other.
    return new Response(await response.text(), response);
  } catch (cause) {
    if (request.signal.aborted || cause instanceof KeyrankError) throw cause;
    throw new KeyrankError({
      code: 'UNREACHABLE',
      message: `${new URL(request.url).origin} cannot be reached, or the connection was lost.`,
      hint: 'Check the address and that the service is running.',
      cause,
    });
  }
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, durationMs);
    signal.addEventListener('abort', end, { once: true });
  });
}
