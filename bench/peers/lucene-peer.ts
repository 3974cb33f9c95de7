// Lucene in a JVM of its own, which reads questions and answers with documents and the time that it took (lucene/LucenePeer.java).
import { type ChildProcessByStdio, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import type { Peer, PeerAnswer, PeerMatch, PeerOrder, PeerQuery } from './peer.ts';

const SOURCES = fileURLToPath(new URL('lucene/', import.meta.url));
const NEEDED = 'apt-get install --no-install-recommends liblucene8-java openjdk-17-jdk-headless';
/** For the index buffer and the terms while they are sorted; searches read mapped files. */
const HEAP = ['-Xms1g', '-Xmx4g', '-XX:+UseSerialGC'];

/** Where Debian puts the jars of its packages. */
export const DEBIAN_JARS = '/usr/share/java';

/** Undefined where Lucene can run. */
export function whyNoLucene(jarDirectory: string): string | undefined {
  if (findJar(jarDirectory) === undefined) return `there is no Lucene 8 in ${jarDirectory}; "${NEEDED}" puts it there`;
  const { error } = spawnSync('javac', ['-version']);
  return error ? `there is no Java compiler; "${NEEDED}" installs one` : undefined;
}

/** Lucene at its best, and as it is usually asked; KeywordSearch.java tells them apart. */
export async function openLucenePeers({
  view,
  keywordFile,
  directory,
  jarDirectory,
}: {
  readonly view: SnapshotView;
  readonly keywordFile: string;
  readonly directory: string;
  readonly jarDirectory: string;
}): Promise<readonly Peer[]> {
  const classes = join(directory, 'classes');
  await mkdir(classes, { recursive: true });
  const jar = join(jarDirectory, findJar(jarDirectory) ?? '');
  const sources = readdirSync(SOURCES).map((name) => join(SOURCES, name));
  await promisify(execFile)('javac', ['-d', classes, '-cp', jar, ...sources]);
  const program = [keywordFile, join(directory, 'index'), String(view.periods.length)];
  const process = spawn('java', [...HEAP, '-cp', `${jar}:${classes}`, 'LucenePeer', ...program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(process, 'exit');
  const ask = openConversation(process);
  await ask.next();
  const peer = (name: string, way: 'best' | 'usual'): Peer => ({
    name,
    kind: 'search engine',
    async answer(query) {
      const line = questionLine(query);
      if (line === undefined) return undefined;
      process.stdin.write(`${way}\t${line}\n`);
      return parseAnswer(await ask.next());
    },
    async [Symbol.asyncDispose]() {
      process.stdin.end();
      await ended;
    },
  });
  return [peer('Lucene', 'best'), peer('Lucene, usual way', 'usual')];
}

function findJar(jarDirectory: string): string | undefined {
  try {
    return readdirSync(jarDirectory).find((name) => /^lucene-core-8\.[0-9.]+\.jar$/.test(name));
  } catch {
    return undefined;
  }
}

/** The lines that the process prints, one at a time; an error when it ends instead, after it said why. */
function openConversation({ stdout }: ChildProcessByStdio<Writable, Readable, null>): {
  readonly next: () => Promise<string>;
} {
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error('Lucene ended without an answer');
      return value;
    },
  };
}

/** The form that LucenePeer.java describes. Undefined for what Lucene has no means for. */
function questionLine({ match, order, offset, limit }: PeerQuery): string | undefined {
  if (match.kind === 'typo' || order.kind === 'similarity' || order.kind === 'expression') return undefined;
  return [offset, limit, orderText(order), ...matchFields(match)].join('\t');
}

function orderText(order: Exclude<PeerOrder, { kind: 'similarity' | 'expression' }>): string {
  return order.kind === 'best_match' ? `match ${order.words}` : `${order.column} ${order.direction}`;
}

function matchFields(match: Exclude<PeerMatch, { kind: 'typo' }>): readonly string[] {
  if (match.kind === 'term') return [`=${match.term}`];
  return [...match.groups.map((group) => `+${group.join(' ')}`), ...match.without.map((token) => `-${token}`)];
}

function parseAnswer(line: string): PeerAnswer {
  const [totalCount, tookNs, documents = ''] = line.split('\t');
  return {
    totalCount: Number(totalCount),
    documents: documents === '' ? [] : documents.split(' ').map(Number),
    tookMs: Number(tookNs) / 1e6,
  };
}
