// What the settings say about an object storage: which bucket, where, and with which keys.
import { OperatorError } from '../domain/error.ts';

export interface S3Access {
  /** Null: Amazon's, by region. */
  readonly endpoint: URL | null;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
  /** The bucket stands in the path of an address, and not in its host name. */
  readonly hasBucketInPath: boolean;
}

export interface S3Location {
  readonly bucket: string;
  /** Empty, or with a slash at its end. */
  readonly prefix: string;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/;
const MAX_PREFIX_CHARACTERS = 400;

/** `s3://bucket/prefix`; undefined when it is not one. */
export function parseS3Location(text: string): S3Location | undefined {
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/*$/.exec(text) ?? [];
  if (!BUCKET.test(bucket) || prefix.length > MAX_PREFIX_CHARACTERS) return undefined;
  if (prefix === '') return { bucket, prefix };
  if (!PREFIX.test(prefix) || prefix.split('/').some((part) => /^\.+$/.test(part))) return undefined;
  return { bucket, prefix: `${prefix}/` };
}

export interface StorageSettings {
  /** Null: the data directory alone. */
  readonly storageLocation: S3Location | null;
  /** Null when there are no keys. */
  readonly storageAccess: S3Access | null;
}

export function nameLocation({ bucket, prefix }: S3Location): string {
  return `s3://${bucket}/${prefix}`.replace(/\/$/, '');
}

/** The value is not repeated: it may hold a password. */
export function parseEndpoint(name: string, text: string): URL | null {
  if (text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (url && isPlain && /^https?:$/.test(url.protocol) && url.pathname === '/') return url;
  throw new OperatorError(`${name} is not the address of an object storage.`, {
    hint: 'Write it like https://storage.example.com:9000, without user, password and path.',
  });
}

/** The address of an object, or of the bucket with an empty name. */
export function addressOf(
  { endpoint, region, hasBucketInPath }: Pick<S3Access, 'endpoint' | 'region' | 'hasBucketInPath'>,
  { bucket }: S3Location,
  key: string,
): URL {
  const host = endpoint ?? new URL(`https://s3.${region}.amazonaws.com`);
  if (hasBucketInPath) return new URL(`/${bucket}${key === '' ? '' : `/${key}`}`, host);
  const url = new URL(`/${key}`, host);
  url.hostname = `${bucket}.${url.hostname}`;
  return url;
}
