// The keys that seal the secrets of connections: 32 random bytes each, in a setting or in a file of the data directory that only its
// owner may read. The newest comes first and seals; the others open what was sealed before. They are never in the database.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConnectionSecrets } from '../domain/connection.ts';
import type { SealedSecrets } from '../domain/download-queue.ts';
import { OperatorError } from '../domain/error.ts';
import { errorCode, ifMissing } from '../domain/error-code.ts';

export const SECRET_KEY_FILE = 'secret.key';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_CHARACTERS = 16;
const PRIVATE_MODE = 0o600;

export interface SecretKeysPlace {
  /** The text of KEYRANK_SECRET_KEY; null: the file. */
  readonly secretKeys: string | null;
  readonly dataDirectory: string;
}

export class SecretKeys {
  /** Newest first, by id. */
  readonly #keys: ReadonlyMap<string, Buffer>;

  private constructor(keys: readonly Buffer[]) {
    this.#keys = new Map(keys.map((key) => [keyId(key), key]));
  }

  /** With the file, one is made where there is none: only whoever seals something needs it to be there. */
  static async open(
    place: SecretKeysPlace,
    options: { readonly creates: boolean } = { creates: false },
  ): Promise<SecretKeys> {
    if (place.secretKeys !== null) return new SecretKeys(parseKeys(place.secretKeys, 'KEYRANK_SECRET_KEY'));
    const path = join(place.dataDirectory, SECRET_KEY_FILE);
    const text = await readFile(path, 'utf8').catch(ifMissing(undefined));
    if (text !== undefined) return new SecretKeys(parseKeys(text, path));
    if (!options.creates) return new SecretKeys([]);
    return await createKeyFile(place);
  }

  /** A key more in the file, which seals from now on; the old ones stay until dropOldKeys. */
  static async addKey(place: SecretKeysPlace): Promise<SecretKeys> {
    if (place.secretKeys !== null) return await SecretKeys.open(place);
    const old = await SecretKeys.open(place);
    const keys = [randomBytes(KEY_BYTES), ...old.#keys.values()];
    await writeKeyFile(place.dataDirectory, keys);
    return new SecretKeys(keys);
  }

  /** Those stay of which something is still sealed, as by a connection that was added meanwhile. */
  static async dropOldKeys(place: SecretKeysPlace, usedIds: ReadonlySet<string>): Promise<void> {
    if (place.secretKeys !== null) return;
    const keys = [...(await SecretKeys.open(place)).#keys].filter(([id], age) => age === 0 || usedIds.has(id));
    if (keys.length > 0)
      await writeKeyFile(
        place.dataDirectory,
        keys.map(([, key]) => key),
      );
  }

  /** Secrets are sealed for one connection: in the row of another they do not open. */
  seal(connectionId: string, secrets: ConnectionSecrets): SealedSecrets {
    const [[id, key] = []] = this.#keys;
    if (id === undefined || key === undefined) throw new Error('there is no key to seal with');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(connectionId));
    const text = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()]);
    return { keyId: id, bytes: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
  }

  has(id: string): boolean {
    return this.#keys.has(id);
  }

  open(connectionId: string, { keyId: id, bytes }: SealedSecrets): ConnectionSecrets {
    const key = this.#keys.get(id);
    if (!key) {
      throw new OperatorError(`The secrets are sealed with the key ${id}, which is not here.`, {
        hint: `Bring back KEYRANK_SECRET_KEY or ${SECRET_KEY_FILE} of the data directory, or enter the secrets again on the page, or with: keyrank connection rotate NAME`,
      });
    }
    const sealed = Buffer.from(bytes);
    try {
      const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(connectionId))
        .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      return JSON.parse(text.toString('utf8')) as ConnectionSecrets;
    } catch {
      // What went wrong could quote what was opened.
      throw new OperatorError('The stored secrets are damaged.', {
        hint: 'Enter them again on the page, or with: keyrank connection rotate NAME',
      });
    }
  }
}

/** Says which key it is and nothing of the key itself. */
function keyId(key: Buffer): string {
  return createHash('sha256').update('keyrank secret key').update(key).digest('hex').slice(0, ID_CHARACTERS);
}

function parseKeys(text: string, where: string): readonly Buffer[] {
  const keys = text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => Buffer.from(part, /^[0-9a-f]{64}$/i.test(part) ? 'hex' : 'base64'));
  if (keys.length > 0 && keys.every((key) => key.length === KEY_BYTES)) return keys;
  // The value is not repeated: it is a secret.
  throw new OperatorError(`${where} does not hold keys of ${KEY_BYTES} bytes.`, {
    hint: 'Make one with: openssl rand -base64 32. Several are separated by commas, the newest first.',
  });
}

async function createKeyFile(place: SecretKeysPlace): Promise<SecretKeys> {
  await mkdir(place.dataDirectory, { recursive: true });
  try {
    await using file = await open(join(place.dataDirectory, SECRET_KEY_FILE), 'wx', PRIVATE_MODE);
    await file.chmod(PRIVATE_MODE);
    await file.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
    await file.sync();
  } catch (error) {
    // Another process was faster; its key is as good.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return await SecretKeys.open(place);
}

async function writeKeyFile(dataDirectory: string, keys: readonly Buffer[]): Promise<void> {
  const path = join(dataDirectory, SECRET_KEY_FILE);
  const next = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await using file = await open(next, 'wx', PRIVATE_MODE);
    await file.writeFile(keys.map((key) => `${key.toString('base64')}\n`).join(''));
    await file.sync();
    await chmod(next, PRIVATE_MODE);
    await rename(next, path);
  } finally {
    await rm(next, { force: true });
  }
}
