// Pages are sent from memory that is used again as soon as they are on their way. Whoever reads slowly still gets the page that
// was asked for, byte for byte, whatever was sent to others in the meantime.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord'];
const TERMS_PER_WORD = 400;
/** Together more than what the system holds for a client that does not read. */
const PAGES_PER_READER = 16;

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey({ subscription: { plan: 'studio' } });
  const terms = WORDS.flatMap((word) =>
    Array.from({ length: TERMS_PER_WORD }, (_, n) => `${word} ${`${word}ish `.repeat(30)}${n}`.slice(0, 240) + n),
  );
  const lines = terms.map((term, i) => `monthly,01-2026,${term},${i + 1}`);
  await service.publish('ranks.csv', `period_type,period,search_term,rank\n${lines.join('\n')}\n`);
}, 60_000);
afterAll(() => service[Symbol.asyncDispose]());

it('get their pages as they were asked for, while others are served', async () => {
  const pages = new Map<string, string>();
  for (const word of WORDS) pages.set(word, (await service.request(pathOf(word), { key })).text);
  const readers = WORDS.slice(0, 3).map((word) => ({ word, socket: ask(word) }));
  for (let round = 0; round < 8; round += 1) {
    const answers = await Promise.all(WORDS.map((word) => service.request(pathOf(word), { key })));
    for (const [i, word] of WORDS.entries()) expect(answers[i]?.text === pages.get(word), word).toBe(true);
  }
  for (const { word, socket } of readers) {
    const bodies = await readBodies(socket);
    expect(bodies).toHaveLength(PAGES_PER_READER);
    expect(bodies.filter((body) => body !== pages.get(word)).length, word).toBe(0);
  }
}, 60_000);

function pathOf(word: string): string {
  return `/v1/search/keywords?query=${word}&limit=${TERMS_PER_WORD}`;
}

/** Many requests at once over one connection, and nothing is read yet. */
function ask(word: string): Socket {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).pause();
  const lines = [`GET ${pathOf(word)} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`];
  for (let n = 1; n <= PAGES_PER_READER; n += 1) {
    const isLast = n === PAGES_PER_READER;
    socket.write(`${[...lines, `Connection: ${isLast ? 'close' : 'keep-alive'}`].join('\r\n')}\r\n\r\n`);
  }
  return socket;
}

async function readBodies(socket: Socket): Promise<readonly string[]> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket.resume(), 'end');
  const bodies: string[] = [];
  let rest = Buffer.concat(chunks);
  while (rest.length > 0) {
    const start = rest.indexOf('\r\n\r\n') + 4;
    const head = rest.subarray(0, start).toString();
    const end = start + Number(/^content-length: (\d+)/im.exec(head)?.[1]);
    bodies.push(rest.subarray(start, end).toString());
    rest = rest.subarray(end);
  }
  return bodies;
}
