// A part of a file, as a request brings it: where it begins, what its checksum is, and its bytes. The headers are those of tus 1.0.
import type { IncomingHttpHeaders } from 'node:http';
import { RequestError } from '../domain/error.ts';
import type { SentPart } from '../domain/report-import.ts';

const OFFSET = /^(0|[1-9][0-9]{0,14})$/;
const CHECKSUM = /^sha256 ([A-Za-z0-9+/]{43}=)$/;

export const PART_HEADERS = [
  {
    name: 'Upload-Offset',
    required: true,
    description: 'The byte of the file that the part begins with: `uploaded_bytes` of the import, and nothing else.',
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 },
    example: 0,
  },
  {
    name: 'Upload-Checksum',
    required: false,
    description:
      '`sha256`, a space, and the SHA-256 of the part in base64. A part that has another one is thrown away.',
    schema: { type: 'string', pattern: CHECKSUM.source },
    example: 'sha256 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  },
];

export const PART_BODY = {
  required: true,
  content: { 'application/offset+octet-stream': { schema: { type: 'string', format: 'binary' } } },
};

export function openPart(headers: IncomingHttpHeaders, bytes: AsyncIterable<Uint8Array>): SentPart {
  const declared = headers['content-length'];
  return {
    offset: parseOffset(headers['upload-offset']),
    sha256: parseChecksum(headers['upload-checksum']),
    declaredBytes: declared === undefined ? undefined : Number(declared),
    bytes,
  };
}

function parseOffset(given: string | string[] | undefined): number {
  if (typeof given === 'string' && OFFSET.test(given)) return Number(given);
  throw new RequestError(
    'INVALID_PARAMETERS',
    "Header 'Upload-Offset' must be the number of the byte that the part begins with.",
    'Send Upload-Offset: 0 with the first part, and uploaded_bytes of the last answer with the next one.',
  );
}

function parseChecksum(given: string | string[] | undefined): Uint8Array | undefined {
  if (given === undefined) return undefined;
  const [, base64] = (typeof given === 'string' && CHECKSUM.exec(given)) || [];
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  throw new RequestError(
    'INVALID_PARAMETERS',
    "Header 'Upload-Checksum' must be 'sha256', a space and 32 bytes in base64.",
    'Leave it out, or send the SHA-256 of the part.',
  );
}
