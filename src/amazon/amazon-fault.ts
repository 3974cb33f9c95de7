import type { DownloadFault } from '../domain/download.ts';
import { errorCode } from '../domain/error-code.ts';

/** An answer of Amazon that has a rule in the domain. The detail is one sentence, and holds no secret. */
export class AmazonFault extends Error {
  readonly fault: DownloadFault;
  readonly detail: string;
  readonly retryAfterMs: number | undefined;

  constructor(fault: DownloadFault, detail: string, retryAfterMs?: number) {
    super(`${fault}: ${detail}`);
    this.name = 'AmazonFault';
    this.fault = fault;
    this.detail = detail;
    this.retryAfterMs = retryAfterMs;
  }
}

const MAX_QUOTED_CHARACTERS = 300;
/** Tokens, secrets, and whatever stands in an address. */
const SECRETS = /Atz[ar]\|\S*|amzn1\.\S*|https?:\/\/\S*|[A-Za-z0-9+/=_-]{64,}/g;

/** What Amazon said, for people: short, on one line, and without anything that could be a secret, the caller's own above all. */
export function quote(text: unknown, secrets: readonly string[] = []): string {
  let said = String(text ?? '');
  for (const secret of secrets.flatMap((each) => [each, encodeURIComponent(each)]))
    if (secret !== '') said = said.replaceAll(secret, '…');
  return said
    .replace(/\p{Cc}+/gu, ' ')
    .replaceAll(SECRETS, '…')
    .trim()
    .slice(0, MAX_QUOTED_CHARACTERS);
}

/** Why there was no answer, by its code: messages may name addresses. */
export function noAnswer(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? errorCode(error.cause) : undefined;
  const code = errorCode(error) ?? cause ?? (error instanceof Error ? error.name : 'unknown');
  return `no answer (${code})`;
}
