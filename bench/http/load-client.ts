// Sends requests over kept connections and reads the answers into memory that is used again. With fresh memory for every
// answer the sender's garbage collector takes the processor from the service that is being measured.
import { createConnection, type Socket } from 'node:net';

const READ_BYTES = 64 * 1024;
const HEAD_END = '\r\n\r\n';

export class LoadClient implements Disposable {
  readonly #connections: readonly Connection[];
  readonly #idle: Connection[];
  readonly #waiting: ((connection: Connection) => void)[] = [];

  private constructor(connections: readonly Connection[]) {
    this.#connections = connections;
    this.#idle = [...connections];
  }

  static async open(url: string, { connections }: { readonly connections: number }): Promise<LoadClient> {
    return new LoadClient(await Promise.all(Array.from({ length: connections }, () => Connection.open(url))));
  }

  /** The status of the answer, when all of it is there. Whoever finds no connection free waits for one. */
  async get(path: string, key: string): Promise<number> {
    // The one that rested longest: a server closes those that rest too long.
    const connection = this.#idle.shift() ?? (await new Promise<Connection>((resolve) => this.#waiting.push(resolve)));
    const status = await connection.get(path, key);
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
    return status;
  }

  [Symbol.dispose](): void {
    for (const connection of this.#connections) connection.close();
  }
}

interface Expected {
  readonly resolve: (status: number) => void;
  readonly reject: (error: Error) => void;
}

class Connection {
  readonly #host: string;
  readonly #socket: Socket;
  #expected: Expected | undefined;
  /** What came of a head that is not complete. */
  #head = '';
  #status = 0;
  /** Bytes of the body that have still to come; undefined before its head is complete. */
  #missing: number | undefined;

  private constructor({ hostname, port, host }: URL) {
    this.#host = host;
    this.#socket = createConnection({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback: (count, bytes) => this.#read(Buffer.from(bytes.buffer, bytes.byteOffset, count)),
      },
    });
    this.#socket.on('error', (error) => this.#expected?.reject(error));
    this.#socket.on('close', () => this.#expected?.reject(new Error('the connection was closed')));
  }

  static async open(url: string): Promise<Connection> {
    const connection = new Connection(new URL(url));
    await new Promise<void>((resolve, reject) => {
      connection.#socket.once('connect', resolve);
      connection.#socket.once('error', reject);
    });
    return connection;
  }

  get(path: string, key: string): Promise<number> {
    return new Promise((resolve, reject) => {
      if (!this.#socket.writable) return reject(new Error('the connection was closed'));
      this.#expected = { resolve, reject };
      this.#socket.write(`GET ${path} HTTP/1.1\r\nhost: ${this.#host}\r\nauthorization: Bearer ${key}${HEAD_END}`);
    });
  }

  close(): void {
    this.#expected = undefined;
    this.#socket.destroy();
  }

  #read(bytes: Buffer): boolean {
    const headBytes = this.#missing === undefined ? this.#readHead(bytes) : 0;
    if (this.#missing === undefined) return true;
    this.#missing -= bytes.length - headBytes;
    if (this.#missing > 0) return true;
    this.#missing = undefined;
    this.#expected?.resolve(this.#status);
    return true;
  }

  /** How many of the bytes belong to the head. */
  #readHead(bytes: Buffer): number {
    const before = this.#head.length;
    // The end may be cut in two.
    const end = bytes.indexOf(HEAD_END);
    this.#head += bytes.toString('latin1', 0, end < 0 ? bytes.length : end + HEAD_END.length);
    const length = this.#head.indexOf(HEAD_END);
    if (length < 0) return bytes.length;
    const [, body] = /\r\ncontent-length: (\d+)\r\n/i.exec(this.#head) ?? [];
    if (body === undefined) this.#expected?.reject(new Error('an answer does not say how long it is'));
    this.#status = Number(this.#head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    this.#missing = Number(body ?? 0);
    this.#head = '';
    return length + HEAD_END.length - before;
  }
}
