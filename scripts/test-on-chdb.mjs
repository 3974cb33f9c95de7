// Runs the suites of rank engines on the SQL of a current ClickHouse: the library chdb behind the HTTP interface, as a cluster of one node.
//
//   node scripts/test-on-chdb.mjs [files of test/store]
//
// chdb is installed for this alone, into a temporary directory, because it is hundreds of megabytes. It exists for some platforms only;
// on others this says so. It knows no clusters: a Distributed table is one that reads the table beside it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHDB = 'chdb@3.4.0';
const CLUSTER = 'chdb';
const SUITES = ['contract', 'holders', 'seasons', 'roots-equal-oracle', 'trends-equal-oracle'];
const AS_NODE = '--as-node';
const NO_LIBRARY = 3;

if (process.argv[2] === AS_NODE) listen(process.argv[3] ?? '');
else process.exitCode = await run(process.argv.slice(2));

async function run(asked) {
  const directory = mkdtempSync(join(tmpdir(), 'keyrank-chdb-'));
  try {
    execFileSync('npm', ['install', '--no-save', '--silent', '--prefix', directory, CHDB], { stdio: 'inherit' });
    const node = spawn(process.execPath, [fileURLToPath(import.meta.url), AS_NODE, directory], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const said = await Promise.race([once(node.stdout, 'data'), once(node, 'exit')]);
    if (node.exitCode === NO_LIBRARY) {
      console.log(`Not run: there is no ${CHDB} for ${process.platform} on ${process.arch}.`);
      return 0;
    }
    if (node.exitCode !== null) return 1;
    const files = asked.length > 0 ? asked : SUITES.map((name) => `test/store/${name}.test.ts`);
    const tests = spawn('npx', ['vitest', 'run', ...files, '-t', 'ClickHouse'], {
      stdio: 'inherit',
      env: {
        ...process.env,
        KEYRANK_TEST_CLICKHOUSE_URL: `http://127.0.0.1:${String(said[0]).trim()}`,
        KEYRANK_TEST_CLICKHOUSE_CLUSTER: CLUSTER,
      },
    });
    const [code] = await once(tests, 'exit');
    node.stdin.end();
    await once(node, 'exit');
    return code ?? 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function listen(directory) {
  const session = openSession(directory);
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method === 'GET') return response.end('Ok.\n');
    try {
      const answer = session.query(adapt(Buffer.concat(chunks).toString()), 'JSONEachRow');
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      response.end(answer);
    } catch (error) {
      const code = /Code: (\d+)/.exec(error.message)?.[1] ?? '0';
      response.writeHead(500, { 'X-ClickHouse-Exception-Code': code });
      response.end(error.message);
    }
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  // It ends with the one that started it, however that ends.
  process.stdin.resume().on('end', () => process.exit(0));
}

function openSession(directory) {
  try {
    const { Session } = createRequire(join(directory, 'package.json'))('chdb');
    return new Session();
  } catch {
    process.exit(NO_LIBRARY);
  }
}

function adapt(text) {
  const distributed = /ENGINE = Distributed\(`[^`]*`, `([^`]*)`, `([^`]*)`[^)]*\)/;
  return text
    .replace(distributed, (_, database, table) => `ENGINE = Merge('${database}', '^${table}$')`)
    .replace(/^(INSERT INTO `[^`]*`\.`[^`]*)_all`/, '$1`')
    .replaceAll('system.clusters', `(SELECT '${CLUSTER}' AS cluster, 1 AS shard_num, 1 AS replica_num)`);
}
