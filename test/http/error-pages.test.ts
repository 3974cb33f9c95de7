import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/domain/error.ts';
import { ERROR_MEANINGS } from '../../src/http/envelope.ts';
import { readRecordedAnswers } from '../../src/http/recorded-answers.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('/docs/errors', () => {
  it.each(ERROR_CODES)('explains %s where its own link leads: cause, what helps, and a real answer', async (code) => {
    const { body } = readRecordedAnswers().failures[code] ?? {};
    const { error } = body as { error: { docs: string; message: string } };
    const [path = '', anchor = ''] = error.docs.split('#');
    const { status, headers, text } = await service.request(path);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const section = new RegExp(`<section id="${anchor}">.*?</section>`, 's').exec(text)?.[0] ?? '';
    const { cause, fix, status: answered } = ERROR_MEANINGS[code];
    for (const part of [cause, fix, error.message]) expect(unescaped(section)).toContain(part);
    expect(section).toContain(`<pre>${answered} `);
  });

  it('needs no script', async () => {
    const { headers, text } = await service.request('/docs/errors');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
    );
    expect(text).not.toMatch(/<script|\bon\w+=/);
  });
});

function unescaped(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
