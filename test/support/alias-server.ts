import { createSocket } from 'node:dgram';

const HEADER_BYTES = 12;
/** A response without error, recursion available. */
const FLAGS = Buffer.from([0x81, 0x80]);
const ONE = Buffer.from([0, 1]);
const NONE = Buffer.from([0, 0]);

/** A name server on loopback that answers every question with an alias whose target has no records. */
export async function openAliasServer(): Promise<{ readonly port: number } & AsyncDisposable> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { address, port }) => {
    // The question: labels up to an empty one, then type and class.
    const question = query.subarray(HEADER_BYTES, query.indexOf(0, HEADER_BYTES) + 5);
    const target = Buffer.from('\x07nowhere\x07invalid\x00', 'latin1');
    const alias = Buffer.concat([Buffer.from([0xc0, HEADER_BYTES, 0, 5, 0, 1, 0, 0, 0, 60, 0, target.length]), target]);
    const header = Buffer.concat([query.subarray(0, 2), FLAGS, ONE, ONE, NONE, NONE]);
    socket.send(Buffer.concat([header, question, alias]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    port: socket.address().port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
