// Requests and their answers as the reference shows them. What differs from run to run is replaced:
//   identifiers (UUIDs)      by others, numbered in the order in which they first appear
//   moments                  by one fixed moment; so are Unix seconds of resets, and waits of more than a minute
//   months of usage          by those of that moment
//   secrets, the receiver    by made-up ones, and so are the machine that took a file and how long it took
// and of lists of keywords only the first two rows are kept. Everything else stands as it came.
import { createHash } from 'node:crypto';
import type { RecordedAnswer } from '../../src/http/recorded-answers.ts';
import { sendRequest, type TestAnswer } from '../support/service.ts';

const MOMENT = '2026-11-15T09:30:00.000Z';
const RESET_UNIX_SECONDS = 1_794_738_600;
const WAIT_SECONDS = 1740;
const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfNnVqfBAE=';
const KEY = 'krk_0123456789ABCDEFGHIJKLMNOPQRST0a1B2c';
const TOKEN = 'n2X1w0c9b8a7f6e5d4c3b2a1n2X1w0c9b8a7f6e5d4c';
const SHARE = 'krs_000000000000000000000000000000000000';
const RECEIVER = 'https://hooks.example.com';
const MAX_ROWS = 2;
const LONG_LISTS = new Set(['data', 'containing', 'sharing_products']);
const SHOWN_HEADERS = [
  'content-type',
  'content-disposition',
  'allow',
  'www-authenticate',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'x-request-id',
];
/** A longer target is shown by its beginning. */
const MAX_TARGET_CHARACTERS = 200;

export interface AskOptions {
  readonly method?: string;
  readonly key?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Recorder {
  readonly #origin: string;
  readonly #receiver: string;
  readonly #uuids = new Map<string, string>();

  constructor({ origin, receiver }: { readonly origin: string; readonly receiver: string }) {
    this.#origin = origin;
    this.#receiver = receiver;
  }

  /** The answer as it came, and as it is shown. */
  async ask(target: string, options: AskOptions = {}): Promise<{ answer: TestAnswer; shown: RecordedAnswer }> {
    const { method = 'GET', body, key, headers } = options;
    const answer = await sendRequest(this.#origin + target, {
      method,
      key,
      ...(headers && { headers }),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const requestBody =
      typeof body === 'string' && body.length > MAX_TARGET_CHARACTERS ? `${body.slice(0, 40)}…` : body;
    return { answer, shown: this.show({ request: `${method} ${target}`, requestBody, ...answer }) };
  }

  show(exchange: {
    readonly request: string;
    readonly requestBody?: unknown;
    readonly status: number;
    readonly headers: Headers;
    readonly text: string;
    readonly json: unknown;
  }): RecordedAnswer {
    const { request, requestBody, status, headers, text, json } = exchange;
    const shown = SHOWN_HEADERS.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, this.#headerValue(name, value)]];
    });
    return this.#replace({
      request: request.length > MAX_TARGET_CHARACTERS ? `${request.slice(0, 80)}…` : request,
      ...(requestBody !== undefined && { requestBody }),
      status,
      headers: Object.fromEntries(shown),
      body: json === undefined ? text : withFewRows(json),
    });
  }

  #headerValue(name: string, value: string): string {
    if (name === 'ratelimit-reset') return String(RESET_UNIX_SECONDS);
    return name === 'retry-after' && Number(value) > 60 ? String(WAIT_SECONDS) : value;
  }

  #replace(answer: RecordedAnswer): RecordedAnswer {
    const text = JSON.stringify(answer)
      .replaceAll(this.#receiver, RECEIVER)
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uuid) => this.#numbered(uuid))
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, MOMENT)
      .replaceAll(/"duration_ms":[\d.]+/g, '"duration_ms":1400')
      .replaceAll(/"server":"[^"]*"/g, '"server":"node-a"')
      .replaceAll(/whsec_[\w+/]+=*/g, SECRET)
      .replaceAll(/krk_\w{36}/g, KEY)
      .replaceAll(/"prefix":"krk_\w{6}"/g, `"prefix":"${KEY.slice(0, 10)}"`)
      .replaceAll(/(invitation=|"token":")[\w-]{43}/g, `$1${TOKEN}`)
      .replaceAll(/"day":"\d{4}-\d\d-\d\d"/g, `"day":"${MOMENT.slice(0, 10)}"`)
      .replaceAll(/krs_[0-9A-Za-z]{36}/g, SHARE)
      .replaceAll(/"reset":\d{10}/g, `"reset":${RESET_UNIX_SECONDS}`)
      .replaceAll(/Wait \d{3,} s/g, `Wait ${WAIT_SECONDS} s`)
      .replaceAll(/Wait \d\d min/g, 'Wait 15 min')
      .replaceAll(/"current_month":\{"month":"\d{4}-\d\d"/g, '"current_month":{"month":"2026-11"')
      .replaceAll(/"previous_month":\{"month":"\d{4}-\d\d"/g, '"previous_month":{"month":"2026-10"');
    return JSON.parse(text);
  }

  #numbered(uuid: string): string {
    const known = this.#uuids.get(uuid);
    if (known !== undefined) return known;
    const hex = createHash('sha256')
      .update(`example ${this.#uuids.size + 1}`)
      .digest('hex');
    const made = [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ];
    this.#uuids.set(uuid, made.join('-'));
    return made.join('-');
  }
}

function withFewRows(json: unknown): unknown {
  return JSON.parse(
    JSON.stringify(json, (name, value) =>
      LONG_LISTS.has(name) && Array.isArray(value) ? value.slice(0, MAX_ROWS) : value,
    ),
  );
}
