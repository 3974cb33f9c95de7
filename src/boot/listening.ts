import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { OperatorError } from '../domain/error.ts';
import { errorCode } from '../domain/error-code.ts';
import type { ResourceStack } from '../resource-stack.ts';

export async function listen(
  stack: ResourceStack,
  app: FastifyInstance,
  { host, port, setting }: { host: string; port: number; setting: string },
): Promise<string> {
  stack.defer(() => app.close());
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw listenError(error, { host, port, setting });
  }
  const address = app.server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}

function listenError(error: unknown, at: { host: string; port: number; setting: string }): unknown {
  const code = errorCode(error);
  if (code === 'EADDRINUSE') {
    return new OperatorError(`Port ${at.port} on ${at.host} is in use.`, {
      hint: `Stop the program that uses it, or choose another port with ${at.setting}.`,
      cause: error,
    });
  }
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new OperatorError(`Cannot listen on ${at.host} port ${at.port}: ${code}.`, {
      hint: 'Choose an address of this machine, and a port above 1023 unless root.',
      cause: error,
    });
  }
  return error;
}
