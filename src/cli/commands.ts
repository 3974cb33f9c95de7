// Every command by name. Loading them all takes a second, and whoever asks for one should not wait for the others.
import { Command } from 'commander';
import { VERSION } from '../version.ts';

type Register = (program: Command) => void;

const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  serve: async () => (await import('./serve.ts')).registerServe,
  import: async () => (await import('./import.ts')).registerImport,
  connection: async () => (await import('./connection.ts')).registerConnection,
  export: async () => (await import('./export.ts')).registerExport,
  watch: async () => (await import('./watch.ts')).registerWatch,
  periods: async () => (await import('./periods.ts')).registerPeriods,
  publications: async () => (await import('./publications.ts')).registerPublications,
  verify: async () => (await import('./verify.ts')).registerVerify,
  backup: async () => (await import('./backup.ts')).registerBackup,
  restore: async () => (await import('./restore.ts')).registerRestore,
  storage: async () => (await import('./storage.ts')).registerStorage,
  publish: async () => (await import('./publish.ts')).registerPublish,
  clickhouse: async () => (await import('./clickhouse.ts')).registerClickHouse,
  plan: async () => (await import('./plan.ts')).registerPlan,
  organization: async () => (await import('./organization.ts')).registerOrganization,
  user: async () => (await import('./user.ts')).registerUser,
  key: async () => (await import('./key.ts')).registerKey,
  mcp: async () => (await import('./mcp.ts')).registerMcp,
  mail: async () => (await import('./mail.ts')).registerMail,
  webhook: async () => (await import('./webhook.ts')).registerWebhook,
  demo: async () => (await import('./demo.ts')).registerDemo,
};

/** The program with those commands that the words of a command line need. */
export async function openProgram(words: readonly string[]): Promise<Command> {
  const program = new Command('keyrank')
    .description('Keyword ranking data service: import reports, serve them as an API.')
    .version(VERSION)
    .showHelpAfterError('Run with --help to see how it is used.')
    .exitOverride()
    // An option behind a command is that command's, although the one above it may have one of the same name.
    .enablePositionalOptions();
  for (const load of wantedCommands(words)) (await load())(program);
  return program;
}

/** The one that is named, none for the version, and all for whatever needs the whole list: help, and names that are unknown. */
function wantedCommands([first = '']: readonly string[]): readonly (() => Promise<Register>)[] {
  if (first === '--version' || first === '-V') return [];
  const named = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  return named ? [named] : Object.values(COMMANDS);
}
