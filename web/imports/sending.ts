// Sends files in parts, one file after the other. What the service has is asked for, never assumed: so sending goes on after a failure,
// a pause, or in another tab.
import { signal } from '@preact/signals';
import { type ApiFailure, type ApiPath, ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { ImportsAnswer, ReportImport } from '../api/wire.ts';
import { explain } from '../tracked/tracked-terms.ts';
import { markOf, sha256, toBase64 } from './file-mark.ts';
import { afterPart, afterRefusal, FIRST_PART, type PartSize } from './part-size.ts';

/** Between two attempts while the service cannot be reached; the last one is repeated. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000];
/** Answers after which it is worth trying again. */
const PASSING = new Set([0, 408, 409, 429, 500, 502, 503, 504]);

export interface Sending {
  readonly file: File;
  readonly sentBytes: number;
  readonly bytesPerSecond: number;
  /** What is in the way, when something is. */
  readonly trouble: string | null;
  /** Whether it goes on by itself. */
  readonly isOn: boolean;
}

interface ImportAnswer {
  readonly data: ReportImport;
}

/** By the id of the import. */
export const sendings = signal<ReadonlyMap<string, Sending>>(new Map());
let queue: Promise<void> = Promise.resolve();

export function isSending(): boolean {
  return [...sendings.value.values()].some(({ isOn }) => isOn);
}

/** Begins with a file, or goes on with the import that was begun for it. */
export async function addFile(file: File, choices: Readonly<Record<string, unknown>>): Promise<void> {
  if (file.size === 0) throw new Error('The file is empty.');
  const fingerprint = await markOf(file);
  const { data } = await ask<ImportsAnswer>('/v1/imports?limit=100');
  const begun = data.find(
    (each) => each.state === 'uploading' && each.fingerprint === fingerprint && each.file_name === file.name,
  );
  const body = { file_name: file.name, size_bytes: file.size, fingerprint, ...choices };
  const made = begun ?? (await ask<ImportAnswer>('/v1/imports', { method: 'POST', body })).data;
  resume(made.id, file, made.uploaded_bytes);
}

export function pause(id: string): void {
  change(id, { isOn: false, trouble: null });
}

/** The file is chosen again, unless this page has it still. */
export function resume(id: string, file: File, sentBytes: number): void {
  if (sendings.value.get(id)?.isOn) return;
  const sending = { file, sentBytes, bytesPerSecond: 0, trouble: null, isOn: true };
  sendings.value = new Map([...sendings.value, [id, sending]]);
  queue = queue.then(() => sendAll(id));
}

export function forget(id: string): void {
  sendings.value = new Map([...sendings.value].filter(([each]) => each !== id));
}

function change(id: string, values: Partial<Sending>): void {
  const sending = sendings.value.get(id);
  if (sending) sendings.value = new Map([...sendings.value, [id, { ...sending, ...values }]]);
}

async function sendAll(id: string): Promise<void> {
  let size = FIRST_PART;
  let failures = 0;
  for (;;) {
    const sending = sendings.value.get(id);
    if (!sending?.isOn) return;
    try {
      const { data } = failures > 0 ? await ask<ImportAnswer>(pathOf(id)) : { data: null };
      const offset = data?.uploaded_bytes ?? sending.sentBytes;
      if (offset >= sending.file.size || (data && data.state !== 'uploading')) return forget(id);
      size = await sendPart(id, { ...sending, sentBytes: offset }, size);
      failures = 0;
    } catch (error) {
      const failure = asFailure(error);
      const smaller = failure.status === 413 ? afterRefusal(size) : undefined;
      if (smaller) size = smaller;
      else if (!(await isWorthTrying(id, failure, failures))) return;
      failures += 1;
    }
  }
}

async function sendPart(id: string, { file, sentBytes }: Sending, size: PartSize): Promise<PartSize> {
  const startMs = performance.now();
  const content = file.slice(sentBytes, sentBytes + size.bytes);
  // A file that was changed or removed meanwhile cannot be read.
  const bytes = await content.arrayBuffer();
  const sum = await sha256(bytes);
  const headers = {
    'content-type': 'application/offset+octet-stream',
    'upload-offset': String(sentBytes),
    ...(sum && { 'upload-checksum': `sha256 ${toBase64(sum)}` }),
  };
  const { data } = await ask<ImportAnswer>(`${pathOf(id)}/content`, {
    method: 'PATCH',
    content: new Blob([bytes]),
    headers,
  });
  const tookMs = performance.now() - startMs;
  const bytesPerSecond = Math.round((bytes.byteLength / tookMs) * 1000);
  change(id, { sentBytes: data.uploaded_bytes, bytesPerSecond, trouble: null });
  return afterPart(size, tookMs);
}

/** Waits a while; false when somebody has to do something first. */
async function isWorthTrying(id: string, failure: ApiFailure, failures: number): Promise<boolean> {
  if (!PASSING.has(failure.status) || failure.code === 'DEFECT') {
    change(id, { isOn: false, trouble: failure.code === 'DEFECT' ? UNREADABLE : explain(failure) });
    return false;
  }
  if (failures > 0) change(id, { trouble: `${failure.message} Trying again.` });
  const pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0;
  const askedMs = Math.max(0, (failure.retryAtMs ?? 0) - Date.now());
  await new Promise((done) => setTimeout(done, Math.max(pauseMs, askedMs)));
  return true;
}

const UNREADABLE = 'The file cannot be read any more. Choose it again.';

function pathOf(id: string): ApiPath {
  return `/v1/imports/${id}`;
}
