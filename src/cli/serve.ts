import type { Command } from 'commander';
import { type RunningService, startService } from '../boot.ts';
import { readConfig } from '../config.ts';
import { ensureDemoAccount } from './demo-account.ts';
import { ensureDemoData } from './demo-data.ts';
import { asOperator, type Operator } from './operator.ts';

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('start the service; settings come from the environment')
    .option('--demo', 'make a demo organization, a key and demo data, and show how to use them')
    .action(async ({ demo }: { demo?: boolean }) => {
      const config = readConfig(process.env);
      const stop = stopSignal();
      // While the demo is made ready the operator keeps the embedded PostgreSQL up, so that it is started once.
      const prepared = demo
        ? await asOperator((operator) => startDemo(operator))
        : { service: await startService(config) };
      await using service = prepared.service;
      if ('key' in prepared) greet(service.url, prepared.key);
      await stop;
    });
}

async function startDemo(operator: Operator): Promise<{ readonly service: RunningService; readonly key: string }> {
  const key = await ensureDemoAccount(operator);
  await ensureDemoData(operator, {
    size: 's',
    onStart: (reportCount) => {
      console.log(`Making demo data from ${reportCount} generated reports. This takes a moment, once …`);
    },
  });
  return { key, service: await startService(operator.config) };
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process without waiting. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = () => {
      if (asked) process.exit(1);
      asked = true;
      resolve();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
  });
}

function greet(url: string, key: string): void {
  console.log(`
keyrank is ready at ${url}

  Look at it  ${url}/#key=${key}
  Reference   ${url}/docs
  API key     ${key}

Or ask it:

  curl -H "Authorization: Bearer ${key}" "${url}/v1/search/keywords?query=running+shoes&limit=3"

Press Ctrl-C to stop.
`);
}
