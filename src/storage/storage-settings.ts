// The settings of an object storage, under names of our own and under those that other programs read too.
import { OperatorError } from '../domain/error.ts';
import { parseEndpoint, parseS3Location, type S3Access, type S3Location, type StorageSettings } from './s3-location.ts';

export type StorageSetting =
  | 'KEYRANK_STORAGE'
  | `KEYRANK_STORAGE_${'ENDPOINT' | 'REGION' | 'PATH_STYLE' | 'ACCESS_KEY_ID' | 'SECRET_ACCESS_KEY' | 'SESSION_TOKEN'}`;

/** Keyrank's own names come before those that other programs read too. */
export function readStorage(own: (name: StorageSetting) => string, usual: (name: string) => string): StorageSettings {
  const storageLocation = parseStorage(own('KEYRANK_STORAGE'));
  const endpoint =
    parseEndpoint('KEYRANK_STORAGE_ENDPOINT', own('KEYRANK_STORAGE_ENDPOINT')) ??
    parseEndpoint('AWS_ENDPOINT_URL', usual('AWS_ENDPOINT_URL_S3') || usual('AWS_ENDPOINT_URL'));
  const region = own('KEYRANK_STORAGE_REGION') || usual('AWS_REGION') || usual('AWS_DEFAULT_REGION') || 'us-east-1';
  const pathStyle = own('KEYRANK_STORAGE_PATH_STYLE');
  if (!['', 'true', 'false'].includes(pathStyle)) {
    throw invalid('KEYRANK_STORAGE_PATH_STYLE', pathStyle, 'Use true or false, or leave it empty.');
  }
  if (!/^[a-z0-9-]{1,40}$/.test(region)) {
    throw invalid('KEYRANK_STORAGE_REGION', region, 'Use a name such as eu-central-1.');
  }
  const keys = own('KEYRANK_STORAGE_ACCESS_KEY_ID')
    ? (['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY', 'SESSION_TOKEN'] as const).map((key) => own(`KEYRANK_STORAGE_${key}`))
    : ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'].map(usual);
  const [accessKeyId = '', secretAccessKey = '', sessionToken = ''] = keys;
  const hasBucketInPath = pathStyle === '' ? endpoint !== null : pathStyle === 'true';
  const access: S3Access = {
    ...{ endpoint, region, accessKeyId, secretAccessKey, hasBucketInPath },
    sessionToken: sessionToken || null,
  };
  return { storageLocation, storageAccess: accessKeyId && secretAccessKey ? access : null };
}

function parseStorage(text: string): S3Location | null {
  if (text === '') return null;
  const location = parseS3Location(text);
  if (location) return location;
  throw new OperatorError('KEYRANK_STORAGE is not the name of a bucket.', {
    hint: 'Write it like s3://bucket/prefix: small letters, digits, dots and hyphens in the bucket. Keys have settings of their own.',
  });
}

function invalid(name: StorageSetting, value: string, hint: string): OperatorError {
  return new OperatorError(`${name}=${value} is not valid.`, { hint });
}
