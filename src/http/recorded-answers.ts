// Examples of the reference: what a real service answered to real requests over the demo data. They are kept in
// recorded-answers.json; test/docs/recorded-answers.test.ts asks again and compares.
import { readFileSync } from 'node:fs';
import type { ErrorCode } from '../domain/error.ts';

export interface RecordedAnswer {
  /** Method and target, such as `GET /v1/meters`. */
  readonly request: string;
  readonly requestBody?: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed, or the text of an answer that is not JSON. */
  readonly body: unknown;
}

export interface RecordedAnswers {
  /** By operation, then by a name that says what the request is about. */
  readonly successes: Readonly<Record<string, Readonly<Record<string, RecordedAnswer>>>>;
  /** One for each code there is, once it is recorded. */
  readonly failures: Readonly<Partial<Record<ErrorCode, RecordedAnswer>>>;
  /** Bodies by operation and code, where an endpoint fails in words of its own. */
  readonly operationFailures: Readonly<Record<string, Readonly<Partial<Record<ErrorCode, unknown>>>>>;
}

export function readRecordedAnswers(): RecordedAnswers {
  return JSON.parse(readFileSync(new URL('./recorded-answers.json', import.meta.url), 'utf8'));
}
