// Whether an answer is one of those that the document allows for the operation, and the one that this request deserves.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ApiResponse, Operation, Schema } from './api-document.ts';
import type { Draft } from './draft.ts';

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export const FAULT_KINDS = [
  'no answer',
  'server error',
  'undocumented status',
  'undocumented header',
  'missing header',
  'undocumented body',
  'both or neither of data and error',
  'invalid accepted',
  'valid refused',
  'refused otherwise than documented',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  readonly kind: FaultKind;
  readonly detail: string;
}

/** What belongs to the message and not to what it says. */
const MESSAGE_HEADERS = new Set([
  'content-type',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'date',
]);
const FORMATS = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  date: /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/,
  'date-time': /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/,
  uri: /^https?:/,
  binary: /^/,
};

export class AnswerCheck {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, formats: FORMATS });
  readonly #validators = new Map<Schema, ValidateFunction>();

  /** What is wrong with an answer; at most one fault of each kind. */
  findFaults({ operation, expected, violated }: Draft, answer: FuzzAnswer): readonly Fault[] {
    const faults: Fault[] = [];
    if (answer.status >= 500) faults.push({ kind: 'server error', detail: String(answer.status) });
    const response = operation.responses[answer.status];
    if (response) faults.push(...this.#headerFaults(response, answer), ...this.#bodyFaults(response, answer));
    else faults.push({ kind: 'undocumented status', detail: String(answer.status) });
    const code = answer.status >= 400 ? codeOf(answer) : undefined;
    if (answer.status !== expected.status || (expected.code !== undefined && code !== expected.code)) {
      const kind =
        violated === undefined
          ? 'valid refused'
          : answer.status < 400
            ? 'invalid accepted'
            : 'refused otherwise than documented';
      faults.push({ kind, detail: `${answer.status} ${code} ${messageOf(answer)}` });
    }
    return faults;
  }

  #headerFaults(response: ApiResponse, { headers }: FuzzAnswer): Fault[] {
    const documented = Object.entries(response.headers).map(([name, each]) => ({ name: name.toLowerCase(), ...each }));
    const names = new Set(documented.map(({ name }) => name));
    const extra = Object.keys(headers).filter((name) => !names.has(name) && !MESSAGE_HEADERS.has(name));
    const missing = documented.filter(({ name, required }) => required && headers[name] === undefined);
    const wrong = documented.filter(({ name, schema }) => {
      const text = headers[name];
      if (text === undefined) return false;
      return !this.#validate(schema, schema.type === 'integer' && /^[0-9]+$/.test(text) ? Number(text) : text);
    });
    return [
      ...[...extra, ...wrong.map(({ name }) => `${name}: ${headers[name]}`)].map(
        (detail): Fault => ({ kind: 'undocumented header', detail }),
      ),
      ...missing.map(({ name }): Fault => ({ kind: 'missing header', detail: name })),
    ];
  }

  #bodyFaults({ content }: ApiResponse, { headers, body, status }: FuzzAnswer): Fault[] {
    const type = (headers['content-type'] ?? '').split(';', 1)[0] ?? '';
    const schema = Object.entries(content).find(([documented]) => documented.split(';', 1)[0] === type)?.[1].schema;
    if (!schema) return [{ kind: 'undocumented body', detail: `content type ${type}` }];
    if (schema.format === 'binary') {
      const mayBeEmpty = type === 'application/x-ndjson';
      return body.length > 0 || mayBeEmpty ? [] : [{ kind: 'undocumented body', detail: 'an empty file' }];
    }
    let json: Readonly<Record<string, unknown>>;
    try {
      json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    } catch (error) {
      return [{ kind: 'undocumented body', detail: String(error) }];
    }
    const faults: Fault[] = [];
    const validate = this.#validator(schema);
    if (!validate(json)) {
      faults.push({ kind: 'undocumented body', detail: this.#ajv.errorsText(validate.errors) });
    }
    if (!hasOneOfDataAndError(json, status)) {
      faults.push({ kind: 'both or neither of data and error', detail: body.toString('utf8').slice(0, 200) });
    }
    return faults;
  }

  #validate(schema: Schema, value: unknown): boolean {
    return this.#validator(schema)(value) === true;
  }

  #validator(schema: Schema): ValidateFunction {
    const known = this.#validators.get(schema);
    if (known) return known;
    const made = this.#ajv.compile(schema);
    this.#validators.set(schema, made);
    return made;
  }
}

/** Objects of answers that would let an unknown field pass: then "no additional fields" could not be checked. */
export function listOpenObjects(operations: readonly Operation[]): readonly string[] {
  return operations.flatMap(({ id, responses }) =>
    Object.entries(responses).flatMap(([status, { content }]) =>
      Object.values(content).flatMap(({ schema }) => openObjects(schema, `${id} ${status}`)),
    ),
  );
}

function openObjects(schema: Schema, path: string): string[] {
  const { properties = {}, patternProperties, additionalProperties, items, anyOf = [], allOf = [] } = schema;
  const isOpen = schema.type === 'object' && additionalProperties === undefined && patternProperties === undefined;
  return [
    ...(isOpen ? [path] : []),
    ...Object.entries(properties).flatMap(([name, each]) => openObjects(each, `${path}.${name}`)),
    ...[...anyOf, ...allOf, ...(items ? [items] : [])].flatMap((each) => openObjects(each, path)),
  ];
}

/** A success sets data, or its own fields in place of it, and never error; a failure the other way round. */
function hasOneOfDataAndError(json: Readonly<Record<string, unknown>>, status: number): boolean {
  if (status >= 400) return json.data === null && typeof json.error === 'object' && json.error !== null;
  const hasData = 'data' in json ? json.data !== null : Object.keys(json).some((name) => name !== 'error');
  return hasData && json.error === null;
}

function codeOf({ body, headers }: FuzzAnswer): string | undefined {
  return /json/.test(headers['content-type'] ?? '') ? /"code":"([A-Z_]+)"/.exec(body.toString('utf8'))?.[1] : undefined;
}

function messageOf({ body }: FuzzAnswer): string {
  return /"message":"((?:[^"\\]|\\.)*)"/.exec(body.toString('utf8').slice(0, 2000))?.[1] ?? '';
}
