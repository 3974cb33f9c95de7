import { type Command, InvalidArgumentError, Option } from 'commander';
import { SecretKeys } from '../amazon/secret-keys.ts';
import { connectAccount, rotateSecrets, testAccount } from '../boot/connected-accounts.ts';
import {
  type Connection,
  type ConnectionSecrets,
  DEFAULT_LOOK_BACK_MONTHS,
  DEFAULT_LOOK_BACK_WEEKS,
  MAX_CLIENT_ID_CHARACTERS,
  MAX_CONNECTION_NAME_CHARACTERS,
  MAX_LOOK_BACK,
  parseConnectionName,
  parseCredential,
} from '../domain/connection.ts';
import { OperatorError } from '../domain/error.ts';
import { AMAZON_REGIONS, type AmazonRegion, parseMarketplace } from '../domain/marketplace.ts';
import { type IsoDate, parseIsoDate } from '../domain/period.ts';
import {
  disableConnection,
  enableConnection,
  listKeyIds,
  removeConnection,
  resealSecrets,
  retryDownloads,
} from '../postgres/connection-changes.ts';
import { getConnection, listConnections, listSealed, type SealedConnection } from '../postgres/connections.ts';
import { getOrganization } from '../postgres/organizations.ts';
import { registerConnectionStatus } from './connection-status.ts';
import { asOperator, type Operator } from './operator.ts';
import { type Columns, type JsonFlag, print, printList, shortTime } from './output.ts';
import { readSecrets } from './secret-input.ts';

interface SecretFlags {
  readonly clientSecretFile?: string;
  readonly refreshTokenFile?: string;
}

interface AddFlags extends JsonFlag, SecretFlags {
  readonly name: string;
  readonly region: AmazonRegion;
  readonly marketplaces: readonly string[];
  readonly clientId: string;
  readonly weeks: number;
  readonly months: number;
  readonly since?: IsoDate;
  readonly organization?: string;
}

const EXAMPLES = `
The client secret and the refresh token are asked for, or read from files or from KEYRANK_AMAZON_CLIENT_SECRET and
KEYRANK_AMAZON_REFRESH_TOKEN, or as two lines from a pipe. They are tried before they are kept, and are kept sealed.

Example:
  keyrank connection add amazon --name acme-na --region na --marketplaces US,CA --client-id amzn1.application-oa2-client.…`;

export function registerConnection(program: Command): void {
  const connection = program
    .command('connection')
    .description('accounts at Amazon from which reports are fetched by themselves');
  registerAdd(connection);
  registerConnectionStatus(connection);

  connection
    .command('list')
    .description('list connections, without their secrets')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonFlag) => {
      const found = await asOperator(({ pool }) => listConnections(pool));
      printList(found, { json, columns: COLUMNS, present, none: 'There are none.' });
    });

  connection
    .command('test')
    .description('ask Amazon for a token and the list of reports, with the secrets that are kept')
    .argument('<name>', 'its name')
    .option('--json', 'print JSON')
    .action(async (name: string, { json }: JsonFlag) => {
      await asOperator(async ({ pool, config }) => {
        await testAccount({ pool, config }, await getConnection(pool, name));
      });
      print({ name, works: true }, { json, lines: [`Amazon answers "${name}".`] });
    });

  registerRotation(connection);
  registerChanges(connection);
}

function registerAdd(connection: Command): void {
  withSecretFiles(
    connection
      .command('add')
      .description('fetch the reports of an account from now on')
      .addArgument(connection.createArgument('<kind>', 'where it is').choices(['amazon']))
      .requiredOption('--name <name>', 'what to call it', parseName)
      .addOption(
        new Option('--region <region>', 'North America, Europe or Far East')
          .choices(AMAZON_REGIONS)
          .makeOptionMandatory(),
      )
      .requiredOption('--marketplaces <codes>', 'whose reports, such as US,CA', parseCodes)
      .requiredOption('--client-id <id>', 'of the application that the seller registered', parseClientId)
      .option('--weeks <count>', 'how many weeks to look back', parseLookBack, DEFAULT_LOOK_BACK_WEEKS)
      .option('--months <count>', 'how many months to look back', parseLookBack, DEFAULT_LOOK_BACK_MONTHS)
      .option('--since <date>', 'also fetch older periods, as far as Amazon has them', parseDate)
      .option('--organization <name>', 'whose admins may manage it on the page too; operators alone when not given'),
  )
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (_kind: string, flags: AddFlags) => {
      const added = await asOperator((operator) => add(operator, flags));
      const lines = [
        `Added "${added.name}" for ${added.marketplaces.join(', ')}. Servers that run begin within a minute.`,
      ];
      print(present(added), { json: flags.json, lines });
    });
}

async function add({ pool, config }: Operator, flags: AddFlags): Promise<Connection> {
  const { name, region, marketplaces, clientId, weeks, months, since = null, organization } = flags;
  const given = { name, region, marketplaces, clientId, lookBackWeeks: weeks, lookBackMonths: months, since };
  const organizationId = organization === undefined ? null : (await getOrganization(pool, organization)).id;
  return await connectAccount({ pool, config }, { given, organizationId, enterSecrets: () => enterSecrets(flags) });
}

function registerRotation(connection: Command): void {
  withSecretFiles(
    connection
      .command('rotate')
      .description('enter new secrets for a connection; they are tried before they are kept')
      .argument('<name>', 'its name')
      .option('--client-id <id>', 'when the application is another one too', parseClientId),
  )
    .option('--json', 'print JSON')
    .action(async (name: string, flags: SecretFlags & JsonFlag & { clientId?: string }) => {
      const changed = await asOperator(async ({ pool, config }) => {
        const { connection } = await getConnection(pool, name);
        const secrets = await enterSecrets(flags);
        return await rotateSecrets({ pool, config }, { connection, clientId: flags.clientId, secrets });
      });
      print(present(changed), { json: flags.json, lines: [`"${name}" has new secrets.`] });
    });

  connection
    .command('rotate-key')
    .description('seal all secrets with a new key: a new one in the key file, or the first of KEYRANK_SECRET_KEY')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonFlag) => {
      const count = await asOperator(async ({ pool, config }) => {
        checkKeys(await SecretKeys.open(config), await listSealed(pool));
        const keys = await SecretKeys.addKey(config);
        const sealed = await resealSecrets(pool, (id, old) => keys.seal(id, keys.open(id, old)));
        await SecretKeys.dropOldKeys(config, await listKeyIds(pool));
        return sealed;
      });
      print(
        { connections: count },
        {
          json,
          lines: [`Sealed the secrets of ${count === 1 ? 'one connection' : `${count} connections`} with the new key.`],
        },
      );
    });
}

/** Before there is a new key: what cannot be opened cannot be sealed anew. */
function checkKeys(keys: SecretKeys, sealed: readonly SealedConnection[]): void {
  const lost = sealed.filter((each) => !keys.has(each.sealed.keyId)).map(({ connection }) => `"${connection.name}"`);
  if (lost.length === 0) return;
  throw new OperatorError(`The key that sealed the secrets of ${lost.join(', ')} is not here.`, {
    hint: 'Bring it back, or enter the secrets again with: keyrank connection rotate NAME',
  });
}

function registerChanges(connection: Command): void {
  const changes = [
    ['disable', 'fetch nothing more for now', disableConnection, 'Nothing is fetched any more for'],
    ['enable', 'fetch again, also what was given up', enableConnection, 'Reports are fetched again for'],
    [
      'remove',
      'forget a connection, its secrets and its downloads; what was published stays',
      removeConnection,
      'Removed',
    ],
  ] as const;
  for (const [name, description, change, done] of changes) {
    connection
      .command(name)
      .description(description)
      .argument('<name>', 'its name')
      .option('--json', 'print JSON')
      .action(async (reference: string, { json }: JsonFlag) => {
        const record = await asOperator(async ({ pool }) => {
          const { id } = (await getConnection(pool, reference)).connection;
          return await change(pool, { id });
        });
        print(present(record), { json, lines: [`${done} "${record.name}".`] });
      });
  }
  connection
    .command('retry')
    .description('try at once what waits or was given up')
    .argument('[name]', 'its name; all of them when none is given')
    .option('--marketplace <code>', 'only this marketplace', parseCode)
    .option('--json', 'print JSON')
    .action(async (name: string | undefined, { json, marketplace }: JsonFlag & { marketplace?: string }) => {
      const count = await asOperator(({ pool }) => retry(pool, { name, marketplace }));
      print({ retried: count }, { json, lines: [`Servers try again: ${count}.`] });
    });
}

async function retry(
  pool: Operator['pool'],
  { name, marketplace }: { readonly name: string | undefined; readonly marketplace: string | undefined },
): Promise<number> {
  const connections = name === undefined ? await listConnections(pool) : [(await getConnection(pool, name)).connection];
  const meant = connections.filter(({ marketplaces }) => !marketplace || marketplaces.includes(marketplace));
  if (marketplace && meant.length === 0) {
    throw new OperatorError(`No such connection fetches ${marketplace}.`, {
      hint: 'List the connections with: keyrank connection list',
    });
  }
  let count = 0;
  for (const each of meant) count += await retryDownloads(pool, { id: each.id, marketplace });
  return count;
}

function withSecretFiles(command: Command): Command {
  return command
    .option('--client-secret-file <path>', 'file that holds the client secret alone')
    .option('--refresh-token-file <path>', 'file that holds the refresh token alone');
}

async function enterSecrets({ clientSecretFile, refreshTokenFile }: SecretFlags): Promise<ConnectionSecrets> {
  const [clientSecret = '', refreshToken = ''] = await readSecrets([
    { name: 'client secret', variable: 'KEYRANK_AMAZON_CLIENT_SECRET', file: clientSecretFile },
    { name: 'refresh token', variable: 'KEYRANK_AMAZON_REFRESH_TOKEN', file: refreshTokenFile },
  ]);
  return { clientSecret, refreshToken };
}

function parseName(text: string): string {
  const name = parseConnectionName(text);
  if (name !== undefined) return name;
  throw new InvalidArgumentError(`Use 1 to ${MAX_CONNECTION_NAME_CHARACTERS} characters.`);
}

function parseClientId(text: string): string {
  const id = parseCredential(text, MAX_CLIENT_ID_CHARACTERS);
  if (id !== undefined) return id;
  throw new InvalidArgumentError('Use the client id as Seller Central shows it.');
}

function parseCodes(text: string): readonly string[] {
  const codes = text.split(',').map((code) => parseMarketplace(code.trim()));
  const known = codes.filter((code) => code !== undefined);
  if (known.length === codes.length) return [...new Set(known)];
  throw new InvalidArgumentError('Use two-letter codes separated by commas, such as US,CA.');
}

function parseCode(text: string): string {
  const [code = '', ...more] = parseCodes(text);
  if (more.length === 0) return code;
  throw new InvalidArgumentError('Use one two-letter code, such as US.');
}

function parseLookBack(text: string): number {
  if (/^[0-9]{1,3}$/.test(text) && Number(text) <= MAX_LOOK_BACK) return Number(text);
  throw new InvalidArgumentError(`Use a whole number from 0 to ${MAX_LOOK_BACK}.`);
}

function parseDate(text: string): IsoDate {
  const date = parseIsoDate(text);
  if (date) return date;
  throw new InvalidArgumentError('Use a date such as 2026-01-01.');
}

const COLUMNS: Columns<Connection> = {
  NAME: ({ name }) => name,
  REGION: ({ region }) => region,
  MARKETPLACES: ({ marketplaces }) => marketplaces.join(','),
  STATE: ({ disabledAt, fault }) => (disabledAt ? 'disabled' : (fault ?? 'enabled')),
  'LOOK-BACK': ({ lookBackWeeks, lookBackMonths, since }) =>
    `${lookBackWeeks} weeks, ${lookBackMonths} months${since === null ? '' : `, since ${since}`}`,
  ADDED: ({ createdAt }) => shortTime(createdAt, ''),
};

function present(connection: Connection) {
  return {
    name: connection.name,
    organization_id: connection.organizationId,
    region: connection.region,
    marketplaces: connection.marketplaces,
    client_id: connection.clientId,
    look_back_weeks: connection.lookBackWeeks,
    look_back_months: connection.lookBackMonths,
    since: connection.since,
    created_at: connection.createdAt,
    disabled_at: connection.disabledAt,
    fault: connection.fault,
    held_until: connection.heldUntil,
  };
}
