import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Pressing {
  readonly key?: string;
  readonly isKeptAlive: boolean;
}

export interface Pressed {
  /** Answers that came whole, whatever they said. */
  readonly answered: number;
  /** Requests on a connection that was made, and that got no whole answer. */
  readonly dropped: readonly string[];
}

/** Asks the same again and again until the door is shut. */
export async function pressUntilClosed(url: URL, { key, isKeptAlive }: Pressing): Promise<Pressed> {
  const agent = new Agent({ keepAlive: isKeptAlive, maxSockets: 1 });
  const dropped: string[] = [];
  let answered = 0;
  for (;;) {
    const outcome = await ask(url, { agent, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });
    if (outcome === 'ECONNREFUSED') break;
    if (outcome === 'answered') {
      answered += 1;
      continue;
    }
    dropped.push(`${url.pathname}${isKeptAlive ? ' on a kept connection' : ''}: ${outcome}`);
    await sleep(10);
  }
  agent.destroy();
  return { answered, dropped };
}

function ask(url: URL, options: { readonly agent: Agent; readonly headers: Record<string, string> }): Promise<string> {
  return new Promise((resolve) => {
    const request = httpRequest(url, options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.complete ? 'answered' : 'cut off'));
      response.once('error', (error) => resolve(`cut off: ${error.message}`));
    });
    request.once('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message));
    request.end();
  });
}
