import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disableApiKey } from '../../../src/postgres/api-keys.ts';
import { enter, makeTeam } from '../../people/world.ts';
import { endListeners } from '../../support/database.ts';
import { plainReport, untilTold } from '../../support/publications.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  // Ten places for streams, and two of them for one organization.
  service = await startTestService({ KEYRANK_MAX_CONNECTIONS: '80' });
});
afterAll(() => service[Symbol.asyncDispose]());

interface Event {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an event by asserting it.
  readonly data: any;
}

/** Listens until it is left. */
async function listen(key: string | null, headers: Record<string, string> = {}) {
  const leaving = new AbortController();
  const response = await fetch(`${service.url}/v1/events`, {
    headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
    signal: leaving.signal,
  });
  const events: Event[] = [];
  let isEnded = false;
  const reading = (async () => {
    let text = '';
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const messages = text.split('\n\n');
      text = messages.pop() ?? '';
      events.push(...messages.flatMap(parseEvent));
    }
  })()
    .catch(() => {})
    .then(() => {
      isEnded = true;
    });
  return {
    response,
    events,
    untilEvents: async (count: number) => {
      while (events.length < count) await sleep(10);
      return events;
    },
    untilEnded: async () => {
      while (!isEnded) await sleep(10);
    },
    leave: async () => {
      leaving.abort();
      await reading;
    },
  };
}

function parseEvent(message: string): Event[] {
  const fields = Object.fromEntries(message.split('\n').map((line) => line.split(/: (.*)/s)));
  return fields.data === undefined ? [] : [{ id: fields.id, event: fields.event, data: JSON.parse(fields.data) }];
}

async function publish(period: string): Promise<void> {
  await service.publish(`${period}.csv`, plainReport({ frequency: 'monthly', period }, { shoes: 5 }));
  await untilTold(service.database);
}

describe('an open stream', () => {
  it('tells how it is now, then of new data and digests, and after a pause what was missed', async () => {
    await publish('01-2026');
    const key = await service.makeKey();
    const stranger = await service.makeKey();
    await service.request('/v1/tracked-keywords', { method: 'POST', key, body: '{"search_term":"shoes"}' });
    const [own, other] = [await listen(key), await listen(stranger)];
    expect(own.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(own.response.headers.get('cache-control')).toBe('no-store');
    const first = await own.untilEvents(2);
    expect(first.map(({ event }) => event)).toEqual(['data', 'digests']);
    expect(first[0]?.data.newest).toEqual([
      { marketplace: 'US', source: 'search', type: 'monthly', period: '01-2026', revision: 1 },
    ]);
    expect(first[1]?.data).toEqual({ unread_count: 0 });
    await other.untilEvents(2);
    await publish('02-2026');
    const later = await own.untilEvents(4);
    expect(
      later
        .slice(2)
        .map(({ event }) => event)
        .toSorted(),
    ).toEqual(['data', 'digests']);
    expect(later.find(({ data }) => data.unread_count === 1)).toBeDefined();
    // Digests of others are nothing to anybody.
    expect((await other.untilEvents(3)).slice(2)).toMatchObject([{ event: 'data' }]);
    await own.leave();
    await service.request('/v1/tracked-keywords/digests/read-all', { method: 'POST', key });
    const again = await listen(key, { 'last-event-id': later.at(-1)?.id ?? '' });
    expect(await again.untilEvents(1)).toEqual([
      { id: expect.stringMatching(/^\d+-0$/), event: 'digests', data: { unread_count: 0 } },
    ]);
    for (const each of [again, other]) await each.leave();
  });

  it('hears after the connection to the database was lost', async () => {
    const key = await service.makeKey();
    const stream = await listen(key);
    await stream.untilEvents(2);
    await endListeners(service.database);
    await publish('03-2026');
    expect((await stream.untilEvents(3))[2]?.data.newest[0].period).toBe('03-2026');
    await stream.leave();
  });

  it('ends when its time is over', async () => {
    const key = await service.makeKey();
    const { status, text } = await service.request('/v1/events?seconds=0', { key });
    expect([status, text.match(/^event: .*$/gm)]).toEqual([200, ['event: data', 'event: digests']]);
  });

  it('ends with the key it was opened with', { timeout: 60_000 }, async () => {
    const key = await service.makeKey({ organization: 'Short', subscription: {}, user: 'ada@short.example' });
    const stream = await listen(key);
    await stream.untilEvents(2);
    const { rows } = await service.database.operator.query(
      `SELECT id FROM api_keys WHERE prefix = left($1, length(prefix))`,
      [key],
    );
    await disableApiKey(service.database.operator, rows[0]?.id);
    await publish('04-2026');
    await stream.untilEnded();
    expect(stream.events).toHaveLength(2);
  });

  it('ends with the session it was opened with, also while nothing happens', { timeout: 60_000 }, async () => {
    const { emails } = await makeTeam(service);
    const person = await enter(service, emails.member);
    const stream = await listen(null, { cookie: person.cookie ?? '' });
    await stream.untilEvents(2);
    expect((await person.ask('/v1/sign-out', { method: 'POST' })).status).toBe(200);
    await stream.untilEnded();
    expect(stream.events).toHaveLength(2);
  });
});

describe('429', () => {
  it('is the answer when the organization listens too often, and nobody else is kept out', async () => {
    const key = await service.makeKey();
    const open = [await listen(key), await listen(key)];
    const third = await service.request('/v1/events', { key });
    expect([third.status, third.json.error.code, third.headers.get('retry-after')]).toEqual([
      429,
      'RATE_LIMIT_EXCEEDED',
      '60',
    ]);
    const other = await listen(await service.makeKey());
    await other.untilEvents(2);
    await open[0]?.leave();
    // The place is free as soon as the server has noticed.
    let status = 429;
    while (status === 429) status = (await service.request('/v1/events?seconds=0', { key })).status;
    expect(status).toBe(200);
    for (const each of [...open, other]) await each.leave();
  });
});

describe('a client that never reads', () => {
  it('costs a place, and nothing of anybody else', async () => {
    const key = await service.makeKey();
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.pause();
    socket.write(`GET /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    const reader = await listen(await service.makeKey());
    await reader.untilEvents(2);
    await publish('05-2026');
    expect((await reader.untilEvents(3))[2]?.event).toBe('data');
    await reader.leave();
    socket.destroy();
  });
});
