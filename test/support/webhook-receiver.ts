import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly receivedAtMs: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a message by asserting it.
  readonly json: any;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly messages: readonly ReceivedMessage[];
  /** Resolves when so many messages have come, on a path if one is given. */
  untilReceived(count: number, path?: string): Promise<readonly ReceivedMessage[]>;
}

/** A real receiver on loopback. `answer` decides what becomes of a message; 204 by default. */
export async function openWebhookReceiver(
  answer: (message: ReceivedMessage, response: ServerResponse) => void = (_message, response) => {
    response.writeHead(204).end();
  },
): Promise<WebhookReceiver> {
  const messages: ReceivedMessage[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const message = {
        path,
        headers,
        body,
        receivedAtMs: Date.now(),
        json: body === '' ? undefined : JSON.parse(body),
      };
      messages.push(message);
      answer(message, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    messages,
    untilReceived: async (count, path) => {
      const received = () => messages.filter((message) => path === undefined || message.path === path);
      while (received().length < count) await sleep(20);
      return received();
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
