import fc from 'fast-check';
import { malformedMessages } from './malformed-messages.ts';
import type { Promised } from './promised.ts';
import { exchange, parseAnswers, type RawAnswer } from './raw-answers.ts';
import { openWorld } from './world.ts';

/** Many, because an incomplete message is answered only when the server has waited long enough for the rest of it. */
const AT_ONCE = 1_500;

export const malformedHttp: readonly Promised[] = [
  {
    name: 'malformed HTTP is answered in the envelope',
    goal: '5,000 malformed raw messages: 0 crashes, 0 answers without the envelope',
    run: async ({ seed, quick, report }) => {
      await using world = await openWorld();
      await world.makeOrganization('Raw');
      const key = await world.makeKey({ organization: 'Raw' });
      await using server = await world.startServer();
      const messages = fc.sample(malformedMessages(key), { seed, numRuns: quick ? 800 : 5_000 });
      const statuses = new Map<number, number>();
      const faults: string[] = [];
      let next = 0;
      const work = async () => {
        for (let i = next++; i < messages.length; i = next++) {
          const message = messages[i] ?? Buffer.alloc(0);
          try {
            const hasBody = !/^\s*HEAD /.test(message.toString('latin1'));
            const answers = parseAnswers(await exchange(server.url, message), { hasBody });
            for (const answer of answers) {
              statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
              const fault = findFault(answer);
              if (fault !== undefined) faults.push(`${fault}: ${describe(message)}`);
            }
            if (answers.length === 0) faults.push(`no answer: ${describe(message)}`);
          } catch (error) {
            faults.push(`${error}: ${describe(message)}`);
          }
          if (i % 1000 === 999) report(`${i + 1} of ${messages.length} messages`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      const isAlive = server.child.exitCode === null && (await fetch(`${server.url}/readyz`)).ok;
      const defects = server
        .log()
        .split('\n')
        .filter((line) => /"level":"(error|fatal)"/.test(line));
      const counts = [...statuses].sort().map(([status, count]) => `${count} × ${status}`);
      return {
        kept: isAlive && faults.length === 0 && defects.length === 0,
        figure: [
          `${messages.length.toLocaleString('en')} messages, ${isAlive ? 0 : 1} crashes, ${faults.length} answers without the envelope, ` +
            `${defects.length} defects in the log (${counts.join(', ')})`,
          ...faults.slice(0, 20),
          ...defects.slice(0, 5),
        ].join('\n'),
      };
    },
  },
];

/** What of an answer is not as every answer must be. */
function findFault({ status, headers, body }: RawAnswer): string | undefined {
  if (status >= 500) return `status ${status}`;
  if (headers['cache-control'] !== 'no-store' && status >= 400) return 'no cache-control';
  if (headers['x-content-type-options'] !== 'nosniff') return 'no x-content-type-options';
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  // A damaged target can be that of a page; what is no success is never a page.
  if (!isJson) return status < 400 ? undefined : `content type ${headers['content-type']}`;
  const json = JSON.parse(body.toString('utf8'));
  const isFailure =
    json.data === null && typeof json.error?.code === 'string' && typeof json.error.message === 'string';
  return isFailure || (status < 400 && json.error === null)
    ? undefined
    : `no envelope: ${body.toString('utf8').slice(0, 200)}`;
}

function describe(message: Buffer): string {
  return JSON.stringify(message.subarray(0, 300).toString('latin1'));
}
