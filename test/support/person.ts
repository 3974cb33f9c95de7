// A browser as far as the API sees one: it keeps the cookie it is given, and says where its requests come from.
import { sendRequest, type TestAnswer } from './service.ts';

/** Where a service is. */
interface Addressed {
  readonly url: string;
}

export class Person {
  readonly #service: Addressed;
  cookie: string | undefined;

  constructor(service: Addressed, cookie?: string) {
    this.#service = service;
    this.cookie = cookie;
  }

  /** The cookies that the last answer set. */
  setCookies: readonly string[] = [];

  async ask(
    target: string,
    options: { method?: string; body?: object; headers?: Record<string, string> } = {},
  ): Promise<TestAnswer> {
    const { method = options.body ? 'POST' : 'GET', body } = options;
    const answer = await sendRequest(this.#service.url + target, {
      method,
      headers: {
        'sec-fetch-site': 'same-origin',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0',
        ...(this.cookie && { cookie: this.cookie }),
        ...options.headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    this.setCookies = answer.headers.getSetCookie();
    for (const set of this.setCookies) {
      const [pair = ''] = set.split(';');
      if (/^(__Host-)?keyrank=/.test(pair)) this.cookie = pair.endsWith('=') ? undefined : pair;
    }
    return answer;
  }

  async signIn(email: string, password: string): Promise<TestAnswer> {
    return await this.ask('/v1/sign-in/password', { body: { email, password } });
  }
}
