// Stands between a service and its PostgreSQL and makes the network between them bad.
import { createConnection, createServer, type Socket } from 'node:net';

export type Weather =
  | { readonly kind: 'fair' }
  /** Every message arrives so much later, in both directions. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Connections are reset, new ones too. */
  | { readonly kind: 'reset' }
  /** Nothing arrives, and nobody is told. Connections of this time stay dead for ever. */
  | { readonly kind: 'black-hole' };

export interface ChaosProxy extends AsyncDisposable {
  readonly port: number;
  setWeather(weather: Weather): void;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isSwallowed: boolean;
}

export async function openChaosProxy(target: { readonly host: string; readonly port: number }): Promise<ChaosProxy> {
  const path = `${target.host}/.s.PGSQL.${target.port}`;
  const pairs = new Set<Pair>();
  let weather: Weather = { kind: 'fair' };

  const forward = (pair: Pair, { from, to }: { from: Socket; to: Socket }): void => {
    from.on('data', (bytes: Buffer) => {
      if (pair.isSwallowed) return;
      if (weather.kind === 'latency') setTimeout(() => to.write(bytes), weather.ms);
      else to.write(bytes);
    });
    from.on('error', () => from.destroy());
    from.on('close', () => {
      if (!pair.isSwallowed) to.end();
      pairs.delete(pair);
    });
  };

  const proxy = createServer((client) => {
    if (weather.kind === 'reset') {
      client.resetAndDestroy();
      return;
    }
    const pair: Pair = { client, server: createConnection(path), isSwallowed: weather.kind === 'black-hole' };
    pairs.add(pair);
    forward(pair, { from: client, to: pair.server });
    forward(pair, { from: pair.server, to: client });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    setWeather: (next) => {
      weather = next;
      for (const pair of pairs) {
        if (next.kind === 'reset') {
          pair.client.resetAndDestroy();
          pair.server.destroy();
        } else if (next.kind === 'black-hole') pair.isSwallowed = true;
      }
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => proxy.close(resolve));
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      await closed;
    },
  };
}
