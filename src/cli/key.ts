import { type Command, InvalidArgumentError } from 'commander';
import { SCOPES, type Scope, USUAL_SCOPES } from '../domain/account.ts';
import {
  type ApiKeyRecord,
  createApiKey,
  disableApiKey,
  type IssuedApiKey,
  listApiKeys,
  rotateApiKey,
} from '../postgres/api-keys.ts';
import { asOperator } from './operator.ts';
import { parseInstant } from './option-values.ts';
import { type Columns, type JsonFlag, print, printList, shortTime } from './output.ts';

interface CreateFlags extends JsonFlag {
  readonly organization: string;
  readonly user: string;
  readonly scopes: readonly Scope[];
  readonly expires: Date | null;
}

export function registerKey(program: Command): void {
  const key = program.command('key').description('API keys');

  key
    .command('create')
    .description('issue a key to a user of an organization; it is shown this once')
    .requiredOption('--organization <name>', 'organization that the key belongs to')
    .requiredOption('--user <email>', 'user it stands for; made if unknown')
    .option('--scopes <list>', `what it may do, of ${SCOPES.join(',')}`, parseScopes, [...USUAL_SCOPES])
    .option('--expires <time>', 'when it stops working: a date, a time with zone, or "none"', parseInstant, null)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  keyrank key create --organization "Acme Ltd" --user ada@example.com --scopes search,export',
    )
    .action(async ({ organization, user, scopes, expires, json }: CreateFlags) => {
      const issued = await asOperator(({ pool }) =>
        createApiKey(pool, { organization, userEmail: user, scopes, expiresAt: expires }),
      );
      printIssued(issued, json);
    });

  key
    .command('list')
    .description('list keys; their text is not kept and cannot be shown')
    .option('--organization <name>', 'only keys of this organization')
    .option('--json', 'print JSON')
    .action(async ({ organization, json }: JsonFlag & { organization?: string }) => {
      const keys = await asOperator(({ pool }) => listApiKeys(pool, organization));
      printList(keys, { json, columns: COLUMNS, present, none: 'There are none yet.' });
    });

  key
    .command('disable')
    .description(
      'disable a key for good; every server refuses it from the next request, and the last key of a user pauses their webhooks',
    )
    .argument('<key>', 'its id, the beginning that lists show, or the whole key')
    .option('--json', 'print JSON')
    .action(async (reference: string, { json }: JsonFlag) => {
      const record = await asOperator(({ pool }) => disableApiKey(pool, reference));
      print(present(record), {
        json,
        lines: [`Disabled ${record.prefix}… of ${record.user} in "${record.organization}".`],
      });
    });

  key
    .command('rotate')
    .description('issue a new key with the same rights and disable the old one')
    .argument('<key>', 'its id, the beginning that lists show, or the whole key')
    .option('--json', 'print JSON')
    .action(async (reference: string, { json }: JsonFlag) => {
      printIssued(await asOperator(({ pool }) => rotateApiKey(pool, reference)), json);
    });
}

const COLUMNS: Columns<ApiKeyRecord> = {
  KEY: ({ prefix }) => `${prefix}…`,
  ORGANIZATION: ({ organization }) => organization,
  USER: ({ user }) => user,
  STATE: keyState,
  'LAST USED': ({ lastUsedAt }) => shortTime(lastUsedAt, 'never'),
  ID: ({ id }) => id,
};

function keyState({ disabledAt, expiresAt }: ApiKeyRecord): string {
  if (disabledAt) return 'disabled';
  return expiresAt === null ? 'enabled' : `until ${shortTime(expiresAt, '')}`;
}

function parseScopes(text: string): readonly Scope[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const scopes = SCOPES.filter((scope) => names.includes(scope));
  if (scopes.length === names.length) return scopes;
  throw new InvalidArgumentError(`Use one or more of ${SCOPES.join(', ')}, separated by commas.`);
}

function printIssued({ key, record, pausedWebhooks }: IssuedApiKey, json: boolean | undefined): void {
  const { user, organization } = record;
  const lines = [key, '', `For ${user} in "${organization}". It is not stored and will not be shown again.`];
  if (pausedWebhooks > 0) {
    lines.push(
      `Webhooks of this user that stay paused: ${pausedWebhooks}. Resume them with: keyrank webhook enable <id>`,
    );
  }
  print({ key, ...present(record), paused_webhooks: pausedWebhooks }, { json, lines });
}

function present(record: ApiKeyRecord) {
  return {
    id: record.id,
    organization: record.organization,
    user: record.user,
    prefix: record.prefix,
    scopes: record.scopes,
    created_at: record.createdAt,
    expires_at: record.expiresAt,
    disabled_at: record.disabledAt,
    last_used_at: record.lastUsedAt,
  };
}
