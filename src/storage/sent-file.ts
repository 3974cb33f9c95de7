// A file goes to the object storage as a stream: in one request, or, if it is large, in parts that become visible together.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { objectOf, StoreFault, type TransferOptions } from '../domain/file-store.ts';
import type { StoredFile } from '../domain/stored-file.ts';
import type { S3Client, SentBody } from './s3-client.ts';

/** S3 takes 5 GB in one request and 10,000 parts. */
const MAX_PARTS = 9_000;

export interface SendRequest extends TransferOptions {
  readonly client: S3Client;
  readonly file: StoredFile;
  /** Where it lies here. */
  readonly path: string;
  /** Larger files go in parts of this size. */
  readonly partBytes: number;
}

export async function sendFile(request: SendRequest): Promise<void> {
  const { client, file, path, partBytes, signal, onBytes } = request;
  const { sizeBytes, sha256 } = file;
  if (sizeBytes > partBytes) return await sendInParts(request);
  await client.put(objectOf(file), { open: () => createReadStream(path), sizeBytes, sha256 }, signal);
  onBytes?.(sizeBytes);
}

async function sendInParts({ client, file, path, partBytes, signal, onBytes }: SendRequest): Promise<void> {
  const name = objectOf(file);
  const size = Math.max(partBytes, Math.ceil(file.sizeBytes / MAX_PARTS));
  const uploadId = await client.beginUpload(name, signal);
  try {
    const whole = createHash('sha256');
    const tags: string[] = [];
    for (let start = 0; start < file.sizeBytes; start += size) {
      const range = { start, end: Math.min(start + size, file.sizeBytes) - 1 };
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(path, range)) {
        hash.update(chunk as Buffer);
        whole.update(chunk as Buffer);
      }
      const sizeBytes = range.end - start + 1;
      const body: SentBody = { open: () => createReadStream(path, range), sizeBytes, sha256: hash.digest('hex') };
      tags.push(await client.putPart(name, { uploadId, number: tags.length + 1, body }, signal));
      onBytes?.(sizeBytes);
    }
    if (whole.digest('hex') !== file.sha256) throw new StoreFault('lost', `${path} has other content than published.`);
    await client.endUpload(name, { uploadId, body: listParts(tags) }, signal);
  } catch (error) {
    await client.dropUpload(name, uploadId);
    throw error;
  }
}

function listParts(tags: readonly string[]): SentBody {
  const parts = tags.map((tag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`);
  const bytes = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  return { open: () => bytes, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
