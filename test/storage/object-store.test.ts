// The store of objects by itself, on a real S3 server behind a network that goes wrong.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AwsV4Signer } from 'aws4fetch';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { StoredFile } from '../../src/domain/stored-file.ts';
import { ObjectStore } from '../../src/storage/object-store.ts';
import { addressOf, nameLocation, parseS3Location } from '../../src/storage/s3-location.ts';
import {
  ACCESS_KEY_ID,
  type ObjectStorage,
  openObjectStorage,
  SECRET_ACCESS_KEY,
  type StorageTrouble,
} from '../support/object-storage.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const PART_BYTES = 100_000;

let storage: ObjectStorage;
let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let store: ObjectStore;
let count = 0;

beforeAll(async () => {
  storage = await openObjectStorage();
  directory = await openTemporaryDirectory();
});
afterAll(async () => {
  await storage[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});
beforeEach(() => {
  count += 1;
  store = openStore({});
  storage.requests.length = 0;
});
afterEach(() => {
  storage.trouble = undefined;
});

function openStore(settings: Record<string, string>): ObjectStore {
  const config = readConfig({ ...storage.settings(`trial-${count}/ranks`), ...settings });
  if (!config.storageLocation || !config.storageAccess) throw new Error('no storage');
  const dataDirectory = join(directory.path, String(count));
  const { storageLocation: location, storageAccess: access } = config;
  return new ObjectStore({ dataDirectory, location, access, minRetryMs: 1, partBytes: PART_BYTES });
}

function placeOf(path: string): string {
  return join(directory.path, String(count), path);
}

/** Bytes that no piece of another file has. */
async function makeFile(path: string, sizeBytes: number): Promise<StoredFile> {
  const seed = createHash('sha256').update(path).digest();
  const bytes = Buffer.alloc(sizeBytes, seed);
  await mkdir(dirname(placeOf(path)), { recursive: true });
  await writeFile(placeOf(path), bytes);
  return { path, sizeBytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function isFetchedWhole(file: StoredFile): Promise<boolean> {
  await rm(placeOf(file.path));
  await store.ensure([file]);
  const hash = createHash('sha256').update(await readFile(placeOf(file.path)));
  return hash.digest('hex') === file.sha256;
}

/** So many requests meet with it; the others go well. */
function failTimes(times: number, trouble: StorageTrouble, method?: string): void {
  let left = times;
  storage.trouble = (request) => {
    if (left === 0 || (method && request.method !== method)) return undefined;
    left -= 1;
    return trouble;
  };
}

describe('files in a bucket', () => {
  it('come back as they went, empty, small, and in parts that become visible together', async () => {
    const files = [
      await makeFile('segments/US/empty.parquet', 0),
      await makeFile('segments/US/small.parquet', 1_000),
      await makeFile('snapshots/US/search-weekly-1.ab12/large', 3 * PART_BYTES + 1),
    ];
    await store.put(files);
    for (const file of files) {
      expect(await isFetchedWhole(file)).toBe(true);
      expect(await store.findFault(file)).toBeUndefined();
    }
    const parts = storage.requests.filter(({ path }) => path.includes('partNumber='));
    expect(parts).toHaveLength(4);
    expect(storage.requests.every(({ headers }) => headers.authorization?.startsWith('AWS4-HMAC-SHA256 '))).toBe(true);
  });

  it('are listed, in however many pieces, and removed; what is none of ours is not among them', async () => {
    const names = Array.from({ length: 7 }, (_, n) => `dictionaries/US/terms-${n}.parquet`);
    const files = await Promise.all(names.map((name) => makeFile(name, 10)));
    const stranger = await makeFile('notes.txt', 5);
    await store.put([...files, stranger]);
    storage.pageSize = 3;
    expect((await store.list()).map(({ name }) => name).toSorted()).toEqual(names);
    await store.remove(names.slice(0, 5));
    await store.remove(names.slice(0, 1));
    expect(await store.list()).toEqual(names.slice(5).map((name) => ({ name, sizeBytes: 10 })));
  });

  it('are fetched under the name of another object with the same content, and once in the directory not again', async () => {
    const first = await makeFile('snapshots/US/search-weekly-1.ab12/rank', 500);
    await store.put([first]);
    const later = { ...first, path: 'snapshots/US/search-weekly-2.cd34/rank', object: first.path };
    await store.ensure([later, later]);
    expect(await readFile(placeOf(later.path))).toEqual(await readFile(placeOf(first.path)));
    storage.requests.length = 0;
    await store.ensure([first, later]);
    expect(storage.requests).toEqual([]);
  });
});

const PASSING = [
  ['503', { kind: 'status', status: 503, code: 'SlowDown' }],
  ['a broken connection', { kind: 'cut' }],
  ['a bit that is another', { kind: 'wrong-answer' }],
] as const;

describe('trouble that passes', () => {
  it.each(PASSING)('%s: a file is fetched whole in the end', async (_name, trouble) => {
    const file = await makeFile('segments/US/file.parquet', 300_000);
    await store.put([file]);
    failTimes(2, trouble, 'GET');
    expect(await isFetchedWhole(file)).toBe(true);
    expect(await readdir(dirname(placeOf(file.path)))).toEqual(['file.parquet']);
  });

  it('what was cut is continued where it ended, also what another process began and left', async () => {
    const file = await makeFile('segments/US/file.parquet', 300_000);
    await store.put([file]);
    const bytes = await readFile(placeOf(file.path));
    failTimes(1, { kind: 'cut' }, 'GET');
    storage.requests.length = 0;
    expect(await isFetchedWhole(file)).toBe(true);
    expect(storage.requests.map(({ headers }) => headers.range)).toEqual([
      undefined,
      expect.stringMatching(/^bytes=\d+-$/),
    ]);

    const begun = `${placeOf(file.path)}.00000000.part`;
    await rm(placeOf(file.path));
    await writeFile(begun, bytes.subarray(0, 200_000));
    await utimes(begun, new Date(0), new Date(0));
    storage.requests.length = 0;
    await store.ensure([file]);
    expect(storage.requests.map(({ headers }) => headers.range)).toEqual(['bytes=200000-']);
    expect(bytes.equals(await readFile(placeOf(file.path)))).toBe(true);
  });

  it.each([...PASSING.slice(0, 2), ['a bit that is another', { kind: 'wrong-body' }] as const])(
    '%s: a file arrives whole in the end, in parts too',
    async (_name, trouble) => {
      const files = [await makeFile('segments/US/a', 1_000), await makeFile('segments/US/b', 2 * PART_BYTES + 1)];
      failTimes(2, trouble);
      await store.put(files);
      failTimes(1, trouble, 'PUT');
      await store.put(files);
      for (const file of files) expect(await isFetchedWhole(file)).toBe(true);
    },
  );
});

describe('trouble that stays', () => {
  it.each([
    ['403', { kind: 'status', status: 403, code: 'AccessDenied' }, 'refused', 1],
    ['503', { kind: 'status', status: 503, code: 'SlowDown' }, 'unreachable', 6],
    ['404', { kind: 'status', status: 404, code: 'NoSuchKey' }, 'lost', 1],
    ['a missing bucket', { kind: 'status', status: 404, code: 'NoSuchBucket' }, 'refused', 1],
    ['cut', { kind: 'cut' }, 'unreachable', 6],
    ['wrong bytes', { kind: 'wrong-answer' }, 'lost', 3],
  ] as const)(
    '%s: is said as it is, without keys, and leaves nothing under the name',
    async (_name, trouble, kind, asked) => {
      const file = await makeFile('segments/US/file.parquet', 1_000);
      await store.put([file]);
      await rm(placeOf(file.path));
      storage.requests.length = 0;
      storage.trouble = () => trouble;
      const fault = await store.ensure([file]).catch((error: unknown) => error);
      expect(fault).toMatchObject({ name: 'StoreFault', kind });
      expect(storage.requests).toHaveLength(asked);
      const said = JSON.stringify([fault, String(fault), (fault as Error).stack, (fault as { hint?: string }).hint]);
      expect(said).not.toContain(SECRET_ACCESS_KEY);
      expect(said).not.toContain(ACCESS_KEY_ID);
      expect(await readdir(dirname(placeOf(file.path)))).not.toContain('file.parquet');
    },
  );

  it('a wrong key is refused by the signature, and a server that is not there is named', async () => {
    const file = await makeFile('segments/US/file.parquet', 10);
    const wrong = openStore({ KEYRANK_STORAGE_SECRET_ACCESS_KEY: 'wrong' });
    await expect(wrong.put([file])).rejects.toMatchObject({
      kind: 'refused',
      message: /403 \(SignatureDoesNotMatch\)/,
    });
    const nobody = openStore({ KEYRANK_STORAGE_ENDPOINT: 'http://127.0.0.1:1' });
    await expect(nobody.put([file])).rejects.toMatchObject({ kind: 'unreachable', message: /ECONNREFUSED/ });
    expect(await store.list()).toEqual([]);
  });

  it('is found by reading what lies there', async () => {
    const [whole, lost, other] = [
      await makeFile('segments/US/whole', 10),
      await makeFile('segments/US/lost', 10),
      await makeFile('segments/US/other', 10),
    ];
    await store.put([whole, { ...(await makeFile('segments/US/elsewhere', 10)), object: other.path }]);
    const faults = await Promise.all([whole, lost, other].map((file) => store.findFault(file)));
    expect(faults.map((fault) => fault?.fault)).toEqual([undefined, 'missing', 'checksum']);
  });

  it('given up by its caller it ends at once', async () => {
    const file = await makeFile('segments/US/file.parquet', 10);
    storage.trouble = () => ({ kind: 'slow', ms: 3_000 });
    const stopping = new AbortController();
    const putting = store.put([file], { signal: stopping.signal });
    stopping.abort(new Error('stopped'));
    await expect(putting).rejects.toThrow('stopped');
  });
});

describe('settings', () => {
  it.each(['s3://ranks', 's3://ranks/a/b-c_d.e', 's3://my.bucket-1/keyrank'])('%s is a location', (text) => {
    const location = parseS3Location(text);
    expect(location && nameLocation(location)).toBe(text);
    expect(parseS3Location(`${text}/`)).toEqual(location);
  });

  it.each([
    '',
    'ranks',
    'http://ranks/a',
    's3://',
    's3://UPPER/a',
    's3://ranks/../a',
    's3://ranks/a b',
    's3://key:secret@ranks/a',
    's3://ranks/a?b',
  ])('%j is none, and is not repeated', (text) => {
    expect(parseS3Location(text)).toBeUndefined();
    if (text === '') return;
    expect(() => readConfig({ KEYRANK_STORAGE: text })).toThrow('KEYRANK_STORAGE is not the name of a bucket.');
  });

  it('name the bucket in the host or in the path, and take the names that other programs use', () => {
    const aws = readConfig({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu-west-1' });
    const own = readConfig({
      ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_ENDPOINT_URL: 'http://elsewhere:1' },
      ...{ KEYRANK_STORAGE_ACCESS_KEY_ID: 'c', KEYRANK_STORAGE_SECRET_ACCESS_KEY: 'd' },
      KEYRANK_STORAGE_ENDPOINT: 'https://storage.example:9000',
    });
    expect([aws, own].map(({ storageAccess }) => storageAccess?.accessKeyId)).toEqual(['a', 'c']);
    const place = { bucket: 'ranks', prefix: 'p/' };
    const addresses = [aws, own].map(({ storageAccess: access }) => access && addressOf(access, place, 'p/x').href);
    expect(addresses).toEqual([
      'https://ranks.s3.eu-west-1.amazonaws.com/p/x',
      'https://storage.example:9000/ranks/p/x',
    ]);
    expect(readConfig({ KEYRANK_STORAGE: 's3://ranks' }).storageAccess).toBeNull();
    expect(() => readConfig({ KEYRANK_STORAGE_ENDPOINT: 'https://key:secret@host' })).toThrow(/^[^:]*storage\.$/);
    expect(() => readConfig({ KEYRANK_STORAGE_PATH_STYLE: 'maybe' })).toThrow('not valid');
  });

  // Amazon S3, "Authenticating Requests: Using the Authorization Header", the example GET Object.
  it('make the signatures that Amazon publishes', async () => {
    const signed = await new AwsV4Signer({
      method: 'GET',
      url: 'https://examplebucket.s3.amazonaws.com/test.txt',
      headers: {
        Range: 'bytes=0-9',
        'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      },
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      ...{ region: 'us-east-1', service: 's3', datetime: '20130524T000000Z', allHeaders: true },
    }).sign();
    expect(signed.headers.get('authorization')).toContain(
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    );
  });
});
