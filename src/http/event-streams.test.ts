import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Caller } from '../domain/account.ts';
import { STUDIO } from '../domain/plan.ts';
import { unauthorized } from './envelope.ts';
import { EventStreams, type EventStreamsOptions, type Listening } from './event-streams.ts';

const CALLER = { organizationId: 'o', userId: 'u' } as Caller;
const opened: EventStreams[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each[Symbol.dispose]();
});

function openStreams(options: Partial<EventStreamsOptions> = {}) {
  const streams = new EventStreams({
    ...{ maxStreams: 3, maxOfOrganization: 2, dataVersion: () => 1, listNewest: () => [], onError: () => {} },
    countUnread: async () => 0,
    ...options,
  });
  opened.push(streams);
  return streams;
}

function listening(change: Partial<Listening> = {}): Listening {
  const { signal } = new AbortController();
  return { caller: CALLER, recheck: async () => STUDIO, lastEventId: undefined, durationMs: 60_000, signal, ...change };
}

describe('event streams', () => {
  it('give up a client that does not read, and keep nothing for it', async () => {
    let version = 1;
    const newest = [{ note: 'x'.repeat(4000) }];
    const streams = openStreams({ dataVersion: () => version, listNewest: () => newest });
    const body = streams.open(listening());
    for (; !body.destroyed; version += 1) {
      streams.announceData();
      await sleep(1);
    }
    expect(version).toBeLessThan(20);
    expect(streams.size).toBe(0);
  });

  it('send something now and then, and ask anew whether the caller may listen', async () => {
    let mayListen = true;
    const streams = openStreams({ heartbeatMs: 5 });
    const recheck = async () => {
      if (!mayListen) throw unauthorized();
      return STUDIO;
    };
    const body = streams.open(listening({ recheck }));
    let text = '';
    body.on('data', (chunk) => (text += chunk));
    while (!text.includes('\n\n:\n\n')) await sleep(1);
    mayListen = false;
    while (streams.size > 0) await sleep(1);
    expect(body.readableEnded || text.length > 0).toBe(true);
  });

  it('have places for each organization and in all, and give them back', () => {
    const streams = openStreams();
    const of = (organizationId: string) => listening({ caller: { ...CALLER, organizationId } as Caller });
    const first = streams.open(of('a'));
    streams.open(of('a'));
    expect(() => streams.open(of('a'))).toThrow('listens to events 2 times already');
    streams.open(of('b'));
    expect(() => streams.open(of('c'))).toThrow('as this server has places for');
    first.destroy();
    return sleep(1).then(() => expect(streams.open(of('c')).destroyed).toBe(false));
  });

  it('end when the server stops, and let nobody in any more', async () => {
    const streams = openStreams();
    const body = streams.open(listening());
    body.resume();
    streams[Symbol.dispose]();
    await new Promise((resolve) => body.once('end', resolve));
    expect(() => streams.open(listening())).toThrow();
  });

  it('end one that cannot be told, so that it connects again', async () => {
    const errors: unknown[] = [];
    const fault = new Error('the database is gone');
    const streams = openStreams({ countUnread: () => Promise.reject(fault), onError: (error) => errors.push(error) });
    streams.open(listening());
    while (streams.size > 0) await sleep(1);
    expect(errors).toEqual([fault]);
  });
});
