#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { OperatorError } from '../domain/error.ts';
import { VERSION } from '../version.ts';
import { registerBackup } from './backup.ts';
import { registerBenchExport } from './bench-export.ts';
import { registerBenchHttp } from './bench-http.ts';
import { registerBenchImport } from './bench-import.ts';
import { registerBenchSearch } from './bench-search.ts';
import { registerBenchTrends } from './bench-trends.ts';
import { registerDemo } from './demo.ts';
import { importDemoFiles } from './demo-data.ts';
import { registerExport } from './export.ts';
import { registerImport } from './import.ts';
import { registerKey } from './key.ts';
import { registerMcp } from './mcp.ts';
import { asOperator } from './operator.ts';
import { registerOrganization } from './organization.ts';
import { registerPeriods } from './periods.ts';
import { registerServe } from './serve.ts';
import { registerVerify } from './verify.ts';
import { registerWebhook } from './webhook.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

const program = new Command('keyrank')
  .description('Keyword ranking data service: import reports, serve them as an API.')
  .version(VERSION)
  .showHelpAfterError('Run with --help to see how it is used.')
  .exitOverride();
for (const register of [
  registerServe,
  registerImport,
  registerExport,
  registerPeriods,
  registerVerify,
  registerBackup,
  registerOrganization,
  registerKey,
  registerMcp,
  registerWebhook,
]) {
  register(program);
}
const bench = program.command('bench').description('measure how fast this machine is');
registerBenchImport(bench);
registerBenchSearch(bench);
registerBenchTrends(bench);
registerBenchExport(bench);
registerBenchHttp(bench);
registerDemo(program, {
  out: process.stdout,
  now: () => new Date(),
  importFiles: (files, kind) => asOperator((operator) => importDemoFiles(operator, { kind, files })),
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}

/** Tells the operator what went wrong and what to do; a stack trace only for defects. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof OperatorError) {
    console.error(`error: ${error.message}`);
    if (error.hint !== undefined) console.error(error.hint);
  } else console.error(error);
  return EXIT_FAILED;
}
