import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { integer } from '../parameters.ts';

/** Less than a day: a client that connects again finds another server, if there is one that has less to do. */
const MAX_SECONDS = 3600;

export const listenToEvents = defineEndpoint({
  method: 'GET',
  path: '/v1/events',
  operationId: 'listenToEvents',
  summary: 'Hear of new data and digests',
  description:
    'Server-sent events: `data` with the version of the data and the newest periods of each marketplace, and `digests` with how many ' +
    'of the caller are unread. Both come once at the beginning and then whenever they change; lines that begin with a colon keep the ' +
    'connection open. A request with the `Last-Event-ID` of the event that came last is told only what has changed since. Costs no ' +
    'quota. Each organization has a share of the places; then 429.',
  tag: 'Account',
  scope: 'tracked:read',
  parameters: {
    seconds: integer('After so long the stream ends, and the client connects again. 0 tells how it is now and ends.', {
      min: 0,
      max: MAX_SECONDS,
      absent: MAX_SECONDS,
    }),
  },
  codes: ['RATE_LIMIT_EXCEEDED'],
  success: { contentType: 'text/event-stream', schema: Type.String() },
  handle: async ({ caller, recheck, lastEventId, parameters, signal, resources }) => {
    const durationMs = parameters.seconds * 1000;
    return {
      contentType: 'text/event-stream; charset=utf-8',
      // Proxies that gather answers before they pass them on would never pass on any of this one.
      headers: { 'x-accel-buffering': 'no' },
      body: resources.events.open({ caller, recheck, lastEventId, durationMs, signal }),
    };
  },
});
