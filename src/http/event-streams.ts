// What open pages are told without asking: that other data are served, and how many digests are unread. They are told states, not
// happenings: whoever missed some is told how it is now. A stream has an id for what it told last, `data version-unread digests`; one
// that begins with such an id is told only what differs.
//
// Whoever listens costs a connection for hours, so there are few places for each organization and in all. Nothing is kept for a client
// that does not read. At every heartbeat it is asked anew whether the caller may still listen: a key that is disabled ends its streams.
import { Readable } from 'node:stream';
import type { Caller } from '../domain/account.ts';
import type { Cancellation } from '../domain/cancellation.ts';
import { contain } from '../domain/containment.ts';
import { RequestError } from '../domain/error.ts';
import type { Plan } from '../domain/plan.ts';
import { serviceUnavailable } from './envelope.ts';

export interface EventStreamsOptions {
  /** Of one process; a share of all connections. */
  readonly maxStreams: number;
  readonly maxOfOrganization: number;
  readonly dataVersion: () => number;
  /** The newest periods that a plan can see, as JSON can hold them. */
  readonly listNewest: (plan: Plan) => readonly object[];
  readonly countUnread: (caller: Caller) => Promise<number>;
  readonly onError: (error: unknown) => void;
  readonly heartbeatMs?: number;
}

export interface Listening {
  readonly caller: Caller;
  /** Throws when the caller may listen no more. */
  readonly recheck: () => Promise<Plan>;
  readonly lastEventId: string | undefined;
  /** After so long the stream ends by itself; 0: when it has told how it is now. */
  readonly durationMs: number;
  readonly signal: Cancellation;
}

interface Stream {
  readonly listening: Listening;
  readonly body: Readable;
  readonly end: () => void;
  toldVersion: number | undefined;
  toldUnread: number | undefined;
  /** Undefined while nothing is being told. */
  telling: Promise<void> | undefined;
  isAskedAgain: boolean;
}

/** Shorter than what proxies give a connection on which nothing comes. */
const HEARTBEAT_MS = 20_000;
/** How long a client waits before it connects again. */
const RETRY_MS = 5_000;
/** More than this waits only for a client that does not read. */
const MAX_WAITING_BYTES = 16 * 1024;
const RETRY_AFTER_FULL_SECONDS = 60;
const EVENT_ID = /^([0-9]{1,15})-([0-9]{1,15})$/;

export class EventStreams implements Disposable {
  readonly #options: EventStreamsOptions;
  readonly #streams = new Set<Stream>();
  readonly #heartbeat: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs ?? HEARTBEAT_MS).unref();
  }

  get size(): number {
    return this.#streams.size;
  }

  /** A stream of server-sent events, or a RequestError. */
  open(listening: Listening): Readable {
    this.#checkRoom(listening.caller);
    const { durationMs, signal, lastEventId } = listening;
    const body = new Readable({ read: () => {}, highWaterMark: MAX_WAITING_BYTES });
    let timer: NodeJS.Timeout | undefined;
    const [, version, unread] = EVENT_ID.exec(lastEventId ?? '') ?? [];
    const stream: Stream = {
      ...{ listening, body, telling: undefined, isAskedAgain: false },
      toldVersion: version === undefined ? undefined : Number(version),
      toldUnread: unread === undefined ? undefined : Number(unread),
      end: () => {
        if (!body.readableEnded && !body.destroyed) body.push(null);
        this.#streams.delete(stream);
        clearTimeout(timer);
      },
    };
    this.#streams.add(stream);
    body.once('close', stream.end);
    signal.addEventListener('abort', () => body.destroy());
    this.#push(stream, `retry: ${RETRY_MS}\n\n`);
    this.#tell(stream);
    if (durationMs > 0) timer = setTimeout(stream.end, durationMs).unref();
    else void stream.telling?.then(stream.end);
    return body;
  }

  /** Other data are served. */
  announceData(): void {
    for (const stream of this.#streams) this.#tell(stream);
  }

  /** Digests of a member have changed. */
  announceDigests({ organizationId, userId }: Readonly<Record<'organizationId' | 'userId', string | undefined>>): void {
    for (const stream of this.#streams) {
      const { caller } = stream.listening;
      if (caller.organizationId === organizationId && caller.userId === userId) this.#tell(stream);
    }
  }

  /** Ends all, and lets nobody in any more. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    for (const stream of this.#streams) stream.end();
  }

  #checkRoom({ organizationId }: Caller): void {
    if (this.#isClosed) throw serviceUnavailable();
    const { maxStreams, maxOfOrganization } = this.#options;
    const own = [...this.#streams].filter(({ listening }) => listening.caller.organizationId === organizationId);
    if (own.length < maxOfOrganization && this.#streams.size < maxStreams) return;
    throw new RequestError(
      'RATE_LIMIT_EXCEEDED',
      own.length < maxOfOrganization
        ? 'As many listen to events as this server has places for.'
        : `The organization listens to events ${maxOfOrganization} times already.`,
      'Ask now and then instead, with `seconds=0`.',
      { retryAfterSeconds: RETRY_AFTER_FULL_SECONDS },
    );
  }

  #beat(): void {
    for (const stream of this.#streams) {
      void contain(async () => {
        if (await this.#mayListen(stream)) this.#push(stream, ':\n\n');
      }, this.#options.onError);
    }
  }

  async #mayListen(stream: Stream): Promise<Plan | undefined> {
    try {
      return await stream.listening.recheck();
    } catch (error) {
      stream.end();
      if (error instanceof RequestError) return undefined;
      throw error;
    }
  }

  /** One telling at a time: what changes meanwhile is told after it. */
  #tell(stream: Stream): void {
    if (stream.telling) {
      stream.isAskedAgain = true;
      return;
    }
    const work = async () => {
      do {
        stream.isAskedAgain = false;
        await this.#tellNow(stream);
      } while (stream.isAskedAgain && this.#streams.has(stream));
    };
    // A page that cannot be told connects again, and then is.
    const onError = (error: unknown) => {
      stream.end();
      this.#options.onError(error);
    };
    stream.telling = contain(work, onError).then(() => {
      stream.telling = undefined;
    });
  }

  async #tellNow(stream: Stream): Promise<void> {
    const plan = await this.#mayListen(stream);
    if (!plan) return;
    const { dataVersion, listNewest, countUnread } = this.#options;
    const unread = await countUnread(stream.listening.caller);
    const version = dataVersion();
    const id = `${version}-${unread}`;
    const isNewVersion = version !== stream.toldVersion;
    const isNewCount = unread !== stream.toldUnread;
    stream.toldVersion = version;
    stream.toldUnread = unread;
    if (isNewVersion) this.#push(stream, eventText('data', id, { version, newest: listNewest(plan) }));
    if (isNewCount) this.#push(stream, eventText('digests', id, { unread_count: unread }));
  }

  #push(stream: Stream, text: string): void {
    if (!this.#streams.has(stream)) return;
    stream.body.push(text);
    if (stream.body.readableLength > MAX_WAITING_BYTES) stream.body.destroy();
  }
}

function eventText(event: string, id: string, data: object): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
