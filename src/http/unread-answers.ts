// Answers that wait in memory until their clients take them. One of which nothing is taken for too long is closed, however long the
// others take. An organization with too much that waits gets no more until some of it is taken; and what comes to an answer all
// the same, because it was asked for at the same moment, pushes out what has waited longest.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RequestError } from '../domain/error.ts';
import type { Connection, OpenConnections } from './open-connections.ts';

/** Smaller ones fit into what the system holds for a connection. */
const SMALL_BYTES = 16 * 1024;
/** Of what may wait in all, for one organization; it is pushed out above twice as much. */
const ORGANIZATION_SHARE = 1 / 4;
/** Requests whose headers are not complete hold memory too, in all at most: */
const MAX_HEADER_BYTES = 32 * 1024 * 1024;
const LOOK_MS = 250;

export interface UnreadAnswersOptions {
  /** How long a client may take nothing. */
  readonly maxStallMs: number;
  /** What may wait in all. */
  readonly maxBytes: number;
}

interface Waiting {
  readonly socket: Socket;
  readonly bytes: number;
}

/** What an organization has not taken, oldest first. */
interface Share {
  bytes: number;
  readonly answers: Set<Waiting>;
}

export class UnreadAnswers {
  readonly #connections: OpenConnections;
  readonly #options: UnreadAnswersOptions;
  readonly #shares = new Map<string, Share>();
  readonly #progress = new WeakMap<Socket, Progress>();
  #totalBytes = 0;

  constructor(connections: OpenConnections, options: UnreadAnswersOptions) {
    this.#connections = connections;
    this.#options = options;
  }

  /** Looks after the connections from now on; returns how to stop. */
  start(): () => void {
    const timer = setInterval(() => this.#look(), LOOK_MS).unref();
    return () => clearInterval(timer);
  }

  /** Throws when the organization has to take its answers first. */
  checkRoom(owner: string): void {
    if ((this.#shares.get(owner)?.bytes ?? 0) < this.#organizationBytes) return;
    throw new RequestError(
      'SERVICE_UNAVAILABLE',
      'Too many answers of this organization wait to be read.',
      'Read them to their end, or ask for less at a time.',
      { retryAfterSeconds: 1 },
    );
  }

  /** Counts an answer until it was taken or its client has left. */
  hold(response: ServerResponse, { owner, ...answer }: Waiting & { readonly owner: string }): void {
    const { socket, bytes } = answer;
    // A request from inside the process, of a tool, has no connection of its own.
    if (bytes < SMALL_BYTES || !this.#connections.get(socket)) return;
    const share = this.#shares.get(owner) ?? { bytes: 0, answers: new Set() };
    this.#shares.set(owner, share);
    share.answers.add(answer);
    share.bytes += bytes;
    this.#totalBytes += bytes;
    response.once('close', () => this.#forget(owner, answer));
    while (share.bytes > 2 * this.#organizationBytes && share.answers.size > 1) this.#pushOut(owner);
    while (this.#totalBytes > this.#options.maxBytes && this.#pushOut(this.#largestOwner())) {
      // Until there is room, or nothing is left.
    }
  }

  get #organizationBytes(): number {
    return this.#options.maxBytes * ORGANIZATION_SHARE;
  }

  #pushOut(owner: string | undefined): boolean {
    const [oldest] = (owner === undefined ? undefined : this.#shares.get(owner)?.answers) ?? [];
    if (owner === undefined || !oldest) return false;
    this.#forget(owner, oldest);
    oldest.socket.destroy();
    return true;
  }

  #forget(owner: string, answer: Waiting): void {
    const share = this.#shares.get(owner);
    if (!share?.answers.delete(answer)) return;
    share.bytes -= answer.bytes;
    this.#totalBytes -= answer.bytes;
    if (share.answers.size === 0) this.#shares.delete(owner);
  }

  #largestOwner(): string | undefined {
    let largest: string | undefined;
    let most = 0;
    for (const [owner, { bytes }] of this.#shares) if (bytes > most) [largest, most] = [owner, bytes];
    return largest;
  }

  #look(): void {
    const incomplete: { readonly socket: Socket; readonly bytes: number }[] = [];
    let headerBytes = 0;
    for (const connection of this.#connections) {
      const { socket } = connection;
      if (this.#isStalled(connection)) socket.destroy();
      const bytes = connection.answersDue === 0 ? socket.bytesRead - connection.bytesRead : 0;
      headerBytes += bytes;
      if (bytes > 0) incomplete.push({ socket, bytes });
    }
    if (headerBytes <= MAX_HEADER_BYTES) return;
    for (const { socket, bytes } of incomplete.sort((a, b) => b.bytes - a.bytes)) {
      if (headerBytes <= MAX_HEADER_BYTES) return;
      headerBytes -= bytes;
      socket.destroy();
    }
  }

  #isStalled({ socket }: Connection): boolean {
    if (socket.writableLength === 0) {
      this.#progress.delete(socket);
      return false;
    }
    const takenBytes = socket.bytesWritten - socket.writableLength;
    const queuedBytes = queuedBytesOf(socket);
    const last = this.#progress.get(socket);
    if (!last || takenBytes > last.takenBytes || queuedBytes < last.queuedBytes) {
      this.#progress.set(socket, { takenBytes, queuedBytes, stalledMs: 0 });
      return false;
    }
    last.queuedBytes = queuedBytes;
    // Not the time on the clock: a pause of the whole process is no fault of the client.
    last.stalledMs += LOOK_MS;
    return last.stalledMs >= this.#options.maxStallMs;
  }
}

/** How far a client had come at the last look. */
interface Progress {
  /** Of whole chunks. */
  readonly takenBytes: number;
  /** What the system has not taken yet of the chunk that is being sent. */
  queuedBytes: number;
  stalledMs: number;
}

/** A chunk may be as large as a page. Node's own socket timeout looks at the same value to see a client that reads slowly. */
function queuedBytesOf(socket: Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null }): number {
  return socket._handle?.writeQueueSize ?? 0;
}
