// The body of a request is read by whoever wants it, and not before the key was checked: a body that nobody asked for takes no
// memory. What is being read counts for its organization: all of it where the client says how long it is, so that what is too much
// is refused before any of it is read, and otherwise as it comes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestError } from '../domain/error.ts';
import { ByteBudget } from './byte-budget.ts';

const FIRST_BYTES = 4 * 1024;
const MIB = 1024 * 1024;

/** Memory for bodies that are on their way. */
export function openBodyBudget(): ByteBudget {
  return new ByteBudget({ perOrganizationBytes: 16 * MIB, totalBytes: 64 * MIB, guaranteedBytes: 2 * MIB });
}

export interface BodyOptions {
  readonly owner: string;
  readonly maxBytes: number;
}

export class RequestBody implements Disposable {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #budget: ByteBudget;
  #taken: { readonly owner: string; bytes: number } | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, budget: ByteBudget) {
    this.#request = request;
    this.#response = response;
    this.#budget = budget;
  }

  async read({ owner, maxBytes }: BodyOptions): Promise<Uint8Array> {
    const declaredBytes = Number(this.#request.headers['content-length'] ?? 0);
    if (declaredBytes > maxBytes) throw tooLarge(maxBytes);
    this.#taken = { owner, bytes: 0 };
    const memory = this.#grow(Buffer.alloc(0), declaredBytes);
    if (!memory) throw tooMuchUnderWay();
    // Whoever asked first is told to send it only now.
    if (/^100-continue$/i.test(this.#request.headers.expect ?? '')) this.#response.writeContinue();
    return await this.#collect(memory, maxBytes);
  }

  [Symbol.dispose](): void {
    if (this.#taken) this.#budget.giveBack(this.#taken.owner, this.#taken.bytes);
    this.#taken = undefined;
  }

  #collect(first: Buffer, maxBytes: number): Promise<Uint8Array> {
    const request = this.#request;
    return new Promise((resolve, reject) => {
      // Copied into one piece of memory: thousands of chunks of a byte each would take far more than they hold.
      let memory = first;
      let length = 0;
      const add = (chunk: Buffer): void => {
        const needed = length + chunk.length;
        const room = needed > memory.length && needed <= maxBytes ? this.#grow(memory, needed) : memory;
        if (needed > maxBytes) fail(tooLarge(maxBytes));
        else if (!room) fail(tooMuchUnderWay());
        else {
          memory = room;
          length += chunk.copy(memory, length);
        }
      };
      const end = (): void => {
        stopListening();
        resolve(memory.subarray(0, length));
      };
      const fail = (error: RequestError): void => {
        stopListening();
        reject(error);
      };
      const leave = (): void => fail(endedEarly());
      const stopListening = (): void => {
        request.off('data', add).off('end', end).off('error', leave).off('close', leave);
        // What still comes is thrown away.
        request.on('error', () => {}).resume();
      };
      if (request.destroyed && !request.readableEnded) leave();
      else request.on('data', add).on('end', end).on('error', leave).on('close', leave);
    });
  }

  /** Twice as much memory, or undefined when the organization has too much already. */
  #grow(memory: Buffer, neededBytes: number): Buffer | undefined {
    const taken = this.#taken;
    const bytes = Math.max(FIRST_BYTES, 2 * memory.length, neededBytes);
    if (!taken || !this.#budget.take(taken.owner, bytes - taken.bytes)) return undefined;
    taken.bytes = bytes;
    const larger = Buffer.allocUnsafeSlow(bytes);
    memory.copy(larger);
    return larger;
  }
}

function tooLarge(maxBytes: number): RequestError {
  return new RequestError(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than ${maxBytes} bytes.`,
    'Split it into several requests.',
  );
}

function tooMuchUnderWay(): RequestError {
  return new RequestError(
    'SERVICE_UNAVAILABLE',
    'Too many bodies of requests are under way.',
    'Send fewer large requests at a time, and each without pauses.',
    { retryAfterSeconds: 1 },
  );
}

function endedEarly(): RequestError {
  return new RequestError('BAD_REQUEST', 'The body ended early.', 'Send as many bytes as Content-Length says.');
}
