import { once } from 'node:events';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { OperatorError } from '../domain/error.ts';
import type { DemoLogin } from './demo-account.ts';
import { asOperator } from './operator.ts';

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('start the service; settings come from the environment')
    .option('--demo', 'make a demo organization, a key and demo data, and show how to use them')
    .action(async ({ demo }: { demo?: boolean }) => {
      const config = readConfig(process.env);
      const stop = stopSignal();
      if (demo) return await serveDemo(stop);
      const { startService } = await import('../boot.ts');
      await using _service = await startService(config, { guardsProcess: true });
      await stopped(stop);
    });
}

async function serveDemo(stop: AbortSignal): Promise<void> {
  // Loading it takes a second, in which the database is made.
  const loading = import('./demo-service.ts');
  // While the demo is made ready the operator keeps the embedded PostgreSQL up, so that it is started once.
  const { service, key, login } = await asOperator(async (operator) => {
    const { startDemoService } = await loading;
    return await startDemoService(operator, stop);
  });
  await using running = service;
  greet(running.url, key, login);
  await stopped(stop);
}

/** Aborted at the first SIGINT or SIGTERM; a second one ends the process without waiting. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => {
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort(
      new OperatorError('Stopped before the demo data was complete.', { hint: 'The next start makes it anew.' }),
    );
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return stopping.signal;
}

async function stopped(stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort');
}

function greet(url: string, key: string, { email, password }: DemoLogin): void {
  console.log(`
keyrank is ready at ${url}

  Look at it  ${url}/#key=${key}
  Reference   ${url}/docs
  Sign in     ${email} with the password ${password}
  API key     ${key}

Or ask it:

  curl -H "Authorization: Bearer ${key}" "${url}/v1/search/keywords?query=running+shoes&limit=3"

Press Ctrl-C to stop.
`);
}
