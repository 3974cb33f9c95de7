import { Readable } from 'node:stream';

/** Given, because Node's own mark differs between versions, and it is what a stopped reader leaves in memory. */
const READ_AHEAD_BYTES = 32 * 1024;

/** A stream that steps the generator only while its reader takes bytes, and returns it when the reader goes away. */
export function openBytes(chunks: AsyncGenerator<Uint8Array>): Readable {
  const stream = Readable.from(chunks, { objectMode: false, highWaterMark: READ_AHEAD_BYTES });
  // Whoever reads it hears of a failure. One before or after that is nobody's, and would end the process.
  return stream.on('error', () => {});
}
