// The way between a process and the database, with what can happen on it.
import { connectionLost, ModelPool, ModelSession, type Wire } from './model-pool.ts';
import { parse, type StatementResult } from './model-statements.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import { UnknownStatementError } from './statement.ts';

/** As boot.ts says for jobs: a connection on which nothing came back for so long is dead. */
const SILENCE_LIMIT_MS = 10_000;
/** Until the server notices that a client is gone, most often. */
const MAX_NOTICE_MS = 2_000;

export function openWire(process: SimulatedProcess, maxConnections: number): ModelPool {
  const { world } = process;
  const own = new Set<ModelSession>();
  const hung = new Set<ModelSession>();
  const close = (session: ModelSession) => {
    own.delete(session);
    world.clock.after(world.random.below(MAX_NOTICE_MS), () => {
      session.end();
      world.sessions.delete(session);
    });
  };
  process.onDeath(() => {
    for (const session of own) close(session);
  });

  const wire: Wire = {
    close,
    connect: () =>
      process.call('connect', () => {
        if (world.isDatabaseDown || world.strikes('connection')) {
          throw Object.assign(new Error('simulated'), { code: 'ECONNREFUSED' });
        }
        const session = new ModelSession(world.database);
        own.add(session);
        world.sessions.add(session);
        return session;
      }),
    query: (session, sql, values) =>
      process.call(parse(sql).text, async () => {
        if (hung.has(session) || world.strikes('hang')) {
          const isFirst = !hung.has(session);
          hung.add(session);
          if (isFirst && world.random.below(2) === 0) void session.execute(sql, values).catch(() => {});
          await process.sleep(SILENCE_LIMIT_MS);
          throw new Error('Query read timeout');
        }
        if (world.strikes('connection')) {
          session.end();
          throw connectionLost();
        }
        if (world.strikes('statement')) {
          session.fail();
          throw Object.assign(new Error('canceling statement: simulated'), { code: '57014' });
        }
        const result = await execute(session, sql, values);
        if (world.strikes('answer')) {
          session.end();
          throw connectionLost();
        }
        return result;
      }),
  };

  async function execute(session: ModelSession, sql: string, values: readonly unknown[]): Promise<StatementResult> {
    try {
      const run = (text: string, given: readonly unknown[]) => session.execute(text, given);
      const { statement } = world.planted ?? {};
      return statement ? await statement({ sql, values, run, world }) : await run(sql, values);
    } catch (error) {
      if (error instanceof UnknownStatementError) world.violate(error.message);
      throw error;
    }
  }

  return new ModelPool(wire, maxConnections);
}
