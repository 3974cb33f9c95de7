// What the service tells an open page by itself: other data, and how many digests are unread. A tab that nobody looks at lets go of its
// connection, of which a browser has few, and hears on its return what it missed. Where nothing can be heard the page works as it did.
import { signal } from '@preact/signals';
import { ApiFailure, send } from '../api/client.ts';
import { formatPeriodShort } from '../parts/format.ts';
import { loadDigests, unreadCount } from '../tracked/digests.ts';
import { apiKey } from './session.ts';

interface NewestPeriod {
  readonly marketplace: string;
  readonly source: string;
  readonly type: 'monthly' | 'weekly';
  readonly period: string;
  readonly revision: number;
}

/** What was published since the page was opened, in a few words; null while it shows what is newest. */
export const newData = signal<string | null>(null);

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;
/** No answer to these changes by asking again. */
const HOPELESS = new Set([401, 403, 404, 405]);

let isStarted = false;
let listening: AbortController | undefined;
let lastEventId: string | undefined;
let shown: readonly NewestPeriod[] | undefined;
let pauseMs = FIRST_PAUSE_MS;
let pause: ReturnType<typeof setTimeout> | undefined;

/** From now on, for as long as the page is open. Whoever is signed in may change. */
export function followNews(): void {
  if (isStarted) return;
  isStarted = true;
  document.addEventListener('visibilitychange', connectAnew);
  // Told at once, so this begins to listen too.
  apiKey.subscribe(() => {
    lastEventId = undefined;
    shown = undefined;
    newData.value = null;
    connectAnew();
  });
}

function connectAnew(): void {
  listening?.abort();
  clearTimeout(pause);
  pauseMs = FIRST_PAUSE_MS;
  if (apiKey.value !== null && document.visibilityState === 'visible') void listen();
}

async function listen(): Promise<void> {
  const own = new AbortController();
  listening = own;
  try {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const response = await send('/v1/events', { signal: own.signal, headers });
    if (response.body) await readEvents(response.body, own.signal);
  } catch (error) {
    if (own.signal.aborted) return;
    if (error instanceof ApiFailure && HOPELESS.has(error.status)) return;
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
  if (own.signal.aborted) return;
  // Not all pages at the same moment when a server has stopped.
  pause = setTimeout(() => void listen(), pauseMs * (0.5 + Math.random()));
}

async function readEvents(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done || signal.aborted) return;
    pauseMs = FIRST_PAUSE_MS;
    text += decoder.decode(value, { stream: true });
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) hear(message);
  }
}

function hear(message: string): void {
  const fields = new Map(
    message.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return;
  if (fields.get('event') === 'data') hearOfData((JSON.parse(data) as { newest: readonly NewestPeriod[] }).newest);
  if (fields.get('event') === 'digests') {
    const { unread_count: count } = JSON.parse(data) as { unread_count: number };
    if (count !== unreadCount.value) void loadDigests();
  }
  lastEventId = fields.get('id') ?? lastEventId;
}

function hearOfData(newest: readonly NewestPeriod[]): void {
  const known = new Set((shown ?? newest).map(describe));
  const fresh = newest.filter((period) => !known.has(describe(period)));
  const isFirst = shown === undefined;
  shown ??= newest;
  if (isFirst) return;
  const [first] = fresh;
  const more = fresh.length > 1 ? ` and ${fresh.length - 1} more` : '';
  newData.value = first ? `New data: ${formatPeriodShort(first.period, first.type)}${more}` : 'New data';
}

function describe({ marketplace, source, type, period, revision }: NewestPeriod): string {
  return [marketplace, source, type, period, revision].join(' ');
}
