import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';

/** What is known of a name: addresses, or the code with which the server refuses to tell; undefined stays without an answer. */
export type NameAnswer =
  | { readonly v4?: readonly string[]; readonly v6?: readonly string[] }
  | { readonly code: 'SERVFAIL' | 'NXDOMAIN' }
  | undefined;

export interface NameServer extends AsyncDisposable {
  /** Every question that came. */
  readonly questions: readonly { readonly name: string; readonly type: number }[];
}

const CODES = { SERVFAIL: 2, NXDOMAIN: 3 } as const;
const [TYPE_V4, TYPE_V6] = [1, 28];
const HEADER_BYTES = 12;

/** A real name server on loopback. While it is open, resolvers that are made ask it, and wait as long as always or a part of it. */
export async function openNameServer(answer: (name: string) => NameAnswer, { patience = 1 } = {}): Promise<NameServer> {
  const questions: { name: string; type: number }[] = [];
  const socket = createSocket('udp4', (message, from) => {
    const { name, type, end } = readQuestion(message);
    questions.push({ name, type });
    const known = answer(name);
    if (!known) return;
    const records = 'code' in known ? [] : recordsOf(type, known);
    const header = Buffer.alloc(HEADER_BYTES);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | ('code' in known ? CODES[known.code] : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([header, message.subarray(HEADER_BYTES, end), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  const { Resolver } = dns;
  class LocalResolver extends Resolver {
    constructor(options: { readonly timeout?: number; readonly tries?: number } = {}) {
      super({ ...options, timeout: Math.ceil((options.timeout ?? 0) * patience) });
      this.setServers([`127.0.0.1:${port}`]);
    }
  }
  Object.assign(dns, { Resolver: LocalResolver });
  return {
    questions,
    [Symbol.asyncDispose]: async () => {
      Object.assign(dns, { Resolver });
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

function readQuestion(message: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** Each names the question by a pointer to it. */
function recordsOf(
  type: number,
  { v4 = [], v6 = [] }: { readonly v4?: readonly string[]; readonly v6?: readonly string[] },
): readonly Buffer[] {
  const addresses = type === TYPE_V4 ? v4.map(bytesOfV4) : type === TYPE_V6 ? v6.map(bytesOfV6) : [];
  return addresses.map((bytes) => {
    const head = Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
    return Buffer.concat([head, bytes]);
  });
}

function bytesOfV4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

function bytesOfV6(address: string): Buffer {
  const [left = [], right = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
