// A client that sends the same requests as fast as they are answered, in a process of its own and with the lowest priority: it
// stands for one on another machine. It says when it was first answered, ends with its standard input, and then says what it was
// answered.
import { randomUUID } from 'node:crypto';
import { setPriority } from 'node:os';
import { Pool } from 'undici';

const { url, key, method, path, body, connections } = JSON.parse(process.argv[2]);
setPriority(19);
const pool = new Pool(url, { connections, pipelining: 1 });
const byStatus = {};
let isOver = false;
process.stdin.on('end', () => (isOver = true)).resume();

async function flood() {
  while (!isOver) {
    // A new term for each, where the body has room for one.
    const payload = body?.replaceAll('RANDOM', () => randomUUID());
    const headers = {
      authorization: `Bearer ${key}`,
      ...(payload && { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
    };
    try {
      const answer = await pool.request({ path, method, headers, ...(payload && { body: payload }) });
      await answer.body.dump({ limit: 1e9 });
      if (Object.keys(byStatus).length === 0) process.stdout.write('begun\n');
      byStatus[answer.statusCode] = (byStatus[answer.statusCode] ?? 0) + 1;
    } catch (error) {
      byStatus[error.code ?? error.name] = (byStatus[error.code ?? error.name] ?? 0) + 1;
    }
  }
}

await Promise.all(Array.from({ length: connections }, flood));
process.stdout.write(JSON.stringify(byStatus));
await pool.destroy();
