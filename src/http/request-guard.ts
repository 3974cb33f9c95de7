// What keeps one client from taking the memory of all: how many connections there are, and how much of requests and answers is on
// its way on them.
import type { Server as HttpServer } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../domain/account.ts';
import { ConnectionLimits } from './connection-limits.ts';
import { serviceUnavailable } from './envelope.ts';
import type { GracefulShutdown } from './graceful-shutdown.ts';
import { refuseConnection } from './malformed-http.ts';
import { OpenConnections } from './open-connections.ts';
import { openBodyBudget, RequestBody } from './request-body.ts';
import { ownerOf } from './shared-calls.ts';
import { UnreadAnswers } from './unread-answers.ts';

export interface RequestLimits {
  readonly maxConnections: number;
  /** How long a client may take nothing of an answer. */
  readonly unreadMs: number;
  /** What may wait to be read, of all answers. */
  readonly unreadBytes: number;
}

export interface RequestGuard {
  /** Lets a caller in, or throws a RequestError. */
  enter(caller: Caller, on: { readonly request: FastifyRequest; readonly reply: FastifyReply }): void;
  openBody(request: FastifyRequest, reply: FastifyReply): RequestBody;
  /** To be called when an answer is about to be sent. */
  holdAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): void;
  stop(): void;
}

export function openGuard(
  server: HttpServer,
  { limits, stop }: { readonly limits: RequestLimits; readonly stop: GracefulShutdown },
): RequestGuard {
  const { maxConnections, unreadMs, unreadBytes } = limits;
  const connections = new OpenConnections(server);
  stop.watch(server, connections);
  const places = new ConnectionLimits(server, connections, { maxConnections, refuse: refuseConnection });
  const unread = new UnreadAnswers(connections, { maxStallMs: unreadMs, maxBytes: unreadBytes });
  const bodies = openBodyBudget();
  return {
    enter: (caller, { request, reply }) => {
      request.caller = caller;
      if (!places.claim(request.raw.socket, ownerOf(caller))) {
        reply.header('connection', 'close');
        throw serviceUnavailable();
      }
      unread.checkRoom(ownerOf(caller));
    },
    openBody: (request, reply) => new RequestBody(request.raw, reply.raw, bodies),
    holdAnswer: ({ caller, raw: { socket } }, reply, payload) => {
      if (caller && (typeof payload === 'string' || payload instanceof Uint8Array)) {
        unread.hold(reply.raw, { owner: ownerOf(caller), socket, bytes: Buffer.byteLength(payload) });
      }
    },
    stop: unread.start(),
  };
}
