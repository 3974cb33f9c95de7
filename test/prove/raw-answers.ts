// What came back over a socket, taken apart without an HTTP client that would mend it.
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const INTERIM_ANSWER = /^HTTP\/1\.1 100 [^\r]*\r\n\r\n/;
/** Longer than the server waits for the rest of a request. */
const ANSWER_LIMIT_MS = 90_000;

/**
 * Sends bytes and waits for the server to speak: an answer, or that it has waited long enough for the rest. Then ends its own
 * side and reads until the server closes.
 */
export function exchange(url: string, message: Buffer): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.setTimeout(ANSWER_LIMIT_MS, () =>
      socket.destroy(new Error(`the connection hangs after ${ANSWER_LIMIT_MS} ms`)),
    );
    socket.on('data', (chunk) => {
      received.push(chunk);
      const said = Buffer.concat(received).toString('latin1').replace(INTERIM_ANSWER, '');
      if (said !== '') socket.end();
    });
    socket.on('close', () => resolve(Buffer.concat(received)));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server may close on a client that goes on sending after it was refused.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(Buffer.concat(received));
      else reject(error);
    });
    socket.write(message);
  });
}

/** The answers in the bytes, in order; throws where they are no HTTP. Interim answers are left out. */
export function parseAnswers(bytes: Buffer, { hasBody }: { readonly hasBody: boolean }): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`no end of headers: ${rest.subarray(0, 100).toString('latin1')}`);
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 ([0-9]{3}) [A-Za-z -]+$/.exec(statusLine)?.[1]);
    if (!status) throw new Error(`no status line: ${statusLine}`);
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    rest = rest.subarray(end + 4);
    if (status < 200) continue;
    const length = hasBody ? Number(headers['content-length'] ?? rest.length) : 0;
    if (rest.length < length) throw new Error(`a body of ${rest.length} bytes in place of ${length}`);
    answers.push({ status, headers, body: rest.subarray(0, length) });
    rest = rest.subarray(length);
  }
  return answers;
}
