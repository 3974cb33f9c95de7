// scrypt with the parameters that OWASP names for 32 MiB. Each takes a while and that memory, so a few go at a time and a few may wait.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { UserId } from '../domain/account.ts';
import { DatabaseBusyError } from './fair-pool.ts';
import type { Queryable } from './pool.ts';

const HASH_BYTES = 32;
const SALT_BYTES = 16;
const COST = { cost: 2 ** 15, blockSize: 8, parallelization: 3 } as const;
const MAX_AT_ONCE = 2;
const MAX_WAITING = 100;

export interface PasswordRow {
  readonly hash: Buffer;
  readonly salt: Buffer;
  readonly cost: number;
  readonly block_size: number;
  readonly parallelization: number;
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MAX_AT_ONCE) {
    if (waiting.length >= MAX_WAITING) throw new DatabaseBusyError();
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

function derive(
  password: string,
  salt: Buffer,
  { cost, blockSize, parallelization }: Record<keyof typeof COST, number>,
): Promise<Buffer> {
  const options = { cost, blockSize, parallelization, maxmem: 256 * cost * blockSize };
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        // What looks the same on two keyboards is the same password.
        scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) =>
          error ? reject(error) : resolve(hash),
        );
      }),
  );
}

export async function hashPassword(password: string): Promise<PasswordRow> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  return { hash, salt, cost: COST.cost, block_size: COST.blockSize, parallelization: COST.parallelization };
}

/** Takes as long for somebody who has none. */
export async function isPassword(password: string, row: PasswordRow | undefined): Promise<boolean> {
  const { cost, block_size: blockSize, parallelization } = row ?? { ...COST, block_size: COST.blockSize };
  const hash = await derive(password, row?.salt ?? Buffer.alloc(SALT_BYTES), { cost, blockSize, parallelization });
  return timingSafeEqual(hash, row?.hash ?? Buffer.alloc(HASH_BYTES)) && row !== undefined;
}

export async function readPassword(queryable: Queryable, userId: UserId): Promise<PasswordRow | undefined> {
  const { rows } = await queryable.query<PasswordRow>(
    'SELECT hash, salt, cost, block_size, parallelization FROM passwords WHERE user_id = $1',
    [userId],
  );
  return rows[0];
}

export async function writePassword(transaction: Queryable, userId: UserId, row: PasswordRow): Promise<void> {
  await transaction.query(
    `INSERT INTO passwords (user_id, hash, salt, cost, block_size, parallelization) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, salt = excluded.salt, cost = excluded.cost,
       block_size = excluded.block_size, parallelization = excluded.parallelization, changed_at = now()`,
    [userId, row.hash, row.salt, row.cost, row.block_size, row.parallelization],
  );
}
