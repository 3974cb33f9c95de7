import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { inject } from 'vitest';
import { disableApiKey } from '../../src/postgres/api-keys.ts';
import type { TestDatabase } from '../support/database.ts';
import { runKeyrank, type ServerProcess } from '../support/process.ts';
import { sendRequest } from '../support/service.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import type { Promised } from './promised.ts';
import { SeededRandom } from './seeded-random.ts';
import { openWorld, type World } from './world.ts';

const PROCESSES = 4;
/** What needs nothing but a key. */
const PATHS = ['/v1/meters', '/v1/usage', '/v1/tracked-keywords', '/v1/search/history', '/v1/periods'];
const MAX_PAUSE_MS = 20;
/** What is shown of a key again, so that people can tell their keys apart. */
const SHOWN_CHARACTERS = 10;
/** Enough of the rest that nothing else looks like it. */
const SECRET_CHARACTERS = 16;

export const keys: readonly Promised[] = [
  {
    name: 'issued keys stand nowhere',
    goal: '0 of 1,000 issued keys in dumps, logs, backups or the files of the database',
    run: async ({ seed, quick, report }) => {
      await using world = await openWorld();
      await using server = await world.startServer({ LOG_LEVEL: 'trace' });
      await using directory = await openTemporaryDirectory();
      const issued = await issueKeys(world, quick ? 200 : 1_000);
      await useKeys(server, { issued, random: new SeededRandom(seed) });
      report(`${issued.length} keys used`);
      const backup = join(directory.path, 'backup');
      const made = await runKeyrank(['backup', backup], { ...world.settings, LOG_LEVEL: 'trace' });
      await world.bench.database.owner.query('CHECKPOINT');
      const places = {
        'the dump': [await dump(world.bench.database)],
        'the log': [Buffer.from(server.log()), Buffer.from(made.stdout + made.stderr)],
        'the backup': await readFiles(backup),
        "the database's files": await readFiles(inject('postgres').host),
      };
      const secrets = new Set(issued.map((key) => key.slice(SHOWN_CHARACTERS, SHOWN_CHARACTERS + SECRET_CHARACTERS)));
      const found = Object.entries(places).map(([place, buffers]) => ({
        place,
        sizeBytes: buffers.reduce((sum, { length }) => sum + length, 0),
        count: new Set(buffers.flatMap((bytes) => findSecrets(bytes, secrets))).size,
      }));
      // The search itself: a key that is in the text is found.
      const control = findSecrets(Buffer.from(`{"a":"${issued[0]}"}`), secrets).length;
      const total = found.reduce((sum, { count }) => sum + count, 0);
      const isComplete = made.code === 0 && control === 1 && found.every(({ sizeBytes }) => sizeBytes > 10_000);
      const looked = found.map(({ place, sizeBytes, count }) => `${count} in ${megabytes(sizeBytes)} of ${place}`);
      return {
        kept: total === 0 && isComplete,
        figure: `${total} of ${issued.length.toLocaleString('en')} keys found: ${looked.join(', ')}${isComplete ? '' : `; not everything was searched: ${made.stderr}`}`,
      };
    },
  },
  {
    name: 'a disabled key is refused at once, everywhere',
    goal: `0 of the first requests after disabling are let in, on any of ${PROCESSES} processes`,
    run: async ({ seed, quick, report }) => {
      const random = new SeededRandom(seed);
      await using world = await openWorld();
      const servers = await Promise.all(Array.from({ length: PROCESSES }, () => world.startServer()));
      try {
        const issued = await issueKeys(world, quick ? 20 : 200);
        let [first, letIn, warm] = [0, 0, 0];
        for (const [i, key] of issued.entries()) {
          warm += (await statuses(servers, { key, random })).filter((status) => status === 200).length;
          // Before and after a server has noted the use of the key.
          await sleep(random.below(MAX_PAUSE_MS));
          await disableApiKey(world.bench.database.operator, key);
          const answers = await statuses(servers, { key, random });
          first += answers.length;
          letIn += answers.filter((status) => status !== 401).length;
          if (i % 50 === 49) report(`${i + 1} of ${issued.length} keys`);
        }
        return {
          kept: letIn === 0 && warm === first,
          figure: `${letIn} of ${first} first requests let in, ${issued.length} keys on ${PROCESSES} processes, each known to all before`,
        };
      } finally {
        await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
      }
    },
  },
];

async function issueKeys(world: World, count: number): Promise<readonly string[]> {
  await world.makeOrganization('Issued');
  const issued: string[] = [];
  while (issued.length < count) issued.push(await world.makeKey({ organization: 'Issued' }));
  return issued;
}

/** As they should be used, and as people use them by mistake. */
async function useKeys(
  server: ServerProcess,
  { issued, random }: { readonly issued: readonly string[]; readonly random: SeededRandom },
): Promise<void> {
  for (const key of issued) {
    await sendRequest(server.url + random.pick(PATHS), { key });
    const mistakes = [`/v1/meters?api_key=${key}`, `/v1/${key}`, `/v1/meters?${key}=1`, `/v1/tracked-keywords/${key}`];
    const headers = [{ authorization: key }, { 'x-api-key': key }, { cookie: `key=${key}` }, { referer: `/?${key}` }];
    const mistake = server.url + random.pick(mistakes);
    await sendRequest(mistake, random.below(2) === 0 ? { key } : { headers: random.pick<Headers>(headers) });
    if (random.below(10) === 0) {
      const body = random.pick(['{"a": 1', `{"search_term": "${key}`, JSON.stringify({ [key]: key })]);
      await sendRequest(`${server.url}/v1/tracked-keywords`, { key, method: 'POST', body });
    }
  }
}

type Headers = Readonly<Record<string, string>>;

/** Every row of every table, as text. */
async function dump({ owner }: TestDatabase): Promise<Buffer> {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname <> 'information_schema'`,
  );
  const texts: string[] = [];
  for (const { name } of rows) {
    const table = await owner.query<{ text: string }>(`SELECT string_agg(t::text, E'\\n') AS text FROM ${name} t`);
    texts.push(name, table.rows[0]?.text ?? '');
  }
  return Buffer.from(texts.join('\n'));
}

/** All files below a directory, unpacked where they are packed. Those that vanish meanwhile held nothing for long. */
async function readFiles(directory: string): Promise<readonly Buffer[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const buffers: Buffer[] = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0));
    buffers.push(entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  }
  return buffers;
}

function findSecrets(bytes: Buffer, secrets: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  for (const [word] of bytes.toString('latin1').matchAll(/[0-9A-Za-z]{16,}/g)) {
    for (let at = 0; at + SECRET_CHARACTERS <= word.length; at += 1) {
      const piece = word.slice(at, at + SECRET_CHARACTERS);
      if (secrets.has(piece)) found.push(piece);
    }
  }
  return found;
}

async function statuses(
  servers: readonly ServerProcess[],
  { key, random }: { readonly key: string; readonly random: SeededRandom },
): Promise<readonly number[]> {
  return await Promise.all(
    servers.map(async ({ url }) => (await sendRequest(url + random.pick(PATHS), { key })).status),
  );
}

function megabytes(sizeBytes: number): string {
  return `${(sizeBytes / 1_000_000).toFixed(1)} MB`;
}
