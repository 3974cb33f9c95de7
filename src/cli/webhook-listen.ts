import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Command, InvalidArgumentError } from 'commander';
import { contain } from '../domain/containment.ts';
import { OperatorError } from '../domain/error.ts';
import { errorMessage } from '../domain/error-code.ts';
import { findSignatureFault, parseSecret } from '../watch/webhook-signature.ts';
import { printable } from './output.ts';
import { openStopSignal } from './stop-signal.ts';

interface ListenFlags {
  readonly port: number;
  readonly secret?: Uint8Array;
  readonly json?: boolean;
}

const DEFAULT_PORT = 8090;
const MAX_MESSAGE_BYTES = 1024 * 1024;

const EXAMPLES = `
Every message is answered with 204. The service sends to this machine only with KEYRANK_WEBHOOK_ALLOW_PRIVATE=true.

Example:
  keyrank webhook listen --secret whsec_… &
  curl -H "Authorization: Bearer $KEY" -d '{"url": "http://127.0.0.1:${DEFAULT_PORT}/"}' http://127.0.0.1:8080/v1/webhooks`;

export function registerListen(webhook: Command): void {
  webhook
    .command('listen')
    .description('receive messages on this machine, print them, and say whether their signatures are right')
    .option('--port <port>', 'port on 127.0.0.1; 0 picks a free one', parsePort, DEFAULT_PORT)
    .option('--secret <secret>', 'secret of the webhook, whsec_…, to check signatures with', parseSecretFlag)
    .option('--json', 'print one JSON line per message')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: ListenFlags) => {
      const server = await openReceiver(flags);
      const { port } = server.address() as AddressInfo;
      console.error(`Listening on http://127.0.0.1:${port}/. Press Ctrl-C to stop.`);
      using stopping = openStopSignal('Stopped.');
      await once(stopping.signal, 'abort');
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
}

async function openReceiver(flags: ListenFlags): Promise<Server> {
  const server = createServer((request, response) => {
    void contain(
      async () => {
        const payload = await readBody(request);
        // Whatever cannot be shown, such as JSON that is nested too deep, has been received all the same.
        await contain(
          () => report(request, { payload, flags, now: new Date() }),
          (error) => console.error(`A message could not be shown: ${String(error)}`),
        );
        response.writeHead(204).end();
      },
      () => response.writeHead(413).end(),
    );
  });
  server.listen(flags.port, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    throw new OperatorError(`Cannot listen on port ${flags.port}: ${errorMessage(error)}.`, {
      hint: 'Choose another port with --port, or 0 for a free one.',
      cause: error,
    });
  });
  return server;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    sizeBytes += (chunk as Buffer).length;
    if (sizeBytes > MAX_MESSAGE_BYTES) throw new Error('the message is too large');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function report(
  request: IncomingMessage,
  { payload, flags, now }: { readonly payload: string; readonly flags: ListenFlags; readonly now: Date },
): void {
  const header = (name: string) => String(request.headers[name] ?? '');
  const message = { id: header('webhook-id'), timestamp: header('webhook-timestamp'), payload };
  const signature = describeSignature(message, { flags, signatures: header('webhook-signature'), now });
  if (flags.json) {
    const { id, timestamp } = message;
    console.log(JSON.stringify({ received_at: now, id, timestamp, signature, payload: parsePayload(payload) }));
    return;
  }
  const lines = [
    `${now.toISOString()}  ${request.method} ${request.url}`,
    `webhook-id  ${message.id === '' ? 'missing' : message.id}`,
    `signature   ${signature}`,
    formatPayload(payload),
  ];
  // Whoever sends here decides what is printed; it must not command the terminal.
  console.log(`${printable(lines.join('\n'))}\n`);
}

function describeSignature(
  message: { readonly id: string; readonly timestamp: string; readonly payload: string },
  { flags, signatures, now }: { readonly flags: ListenFlags; readonly signatures: string; readonly now: Date },
): string {
  if (!flags.secret) return 'not checked (give --secret)';
  const fault = findSignatureFault(message, { signatures, secret: flags.secret, now });
  return fault === undefined ? 'valid' : `NOT VALID: ${fault}`;
}

function formatPayload(payload: string): string {
  const parsed = parsePayload(payload);
  return typeof parsed === 'string' ? payload : JSON.stringify(parsed, null, 2);
}

/** As JSON if it is some, or else as text. */
function parsePayload(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}

function parsePort(text: string): number {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('Use a whole number from 0 to 65535.');
}

function parseSecretFlag(text: string): Uint8Array {
  const secret = parseSecret(text);
  if (secret) return secret;
  throw new InvalidArgumentError('Use the secret that POST /v1/webhooks answered with, whsec_….');
}
