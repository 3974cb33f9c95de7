import { type Command, InvalidArgumentError } from 'commander';
import { ROLES, type Role } from '../domain/role.ts';
import {
  createUser,
  listUsers,
  makeSignInLink,
  removeUser,
  setOperator,
  setPassword,
  setRole,
  type UserRecord,
  unlinkUser,
} from '../postgres/users.ts';
import { asOperator } from './operator.ts';
import { type Columns, type JsonFlag, print, printList, shortTime } from './output.ts';
import { readSecrets } from './secret-input.ts';

interface MemberFlags extends JsonFlag {
  readonly organization: string;
  readonly role?: Role;
}

export function registerUser(program: Command): void {
  const user = program.command('user').description('people who sign in');

  user
    .command('create')
    .description('make a user and their membership; prints a link that signs them in once, within 15 minutes')
    .argument('<email>', 'mail address')
    .requiredOption('--organization <name>', 'organization that they belong to')
    .option('--role <role>', `one of ${ROLES.join(', ')}; the first of an organization is its owner`, parseRole)
    .option('--operator', 'make them an operator of the whole installation')
    .option('--json', 'print JSON')
    .action(async (email: string, { organization, role, operator, json }: MemberFlags & { operator?: boolean }) => {
      const made = await asOperator(async ({ pool, config }) => {
        const record = await createUser(pool, { email, organization, role, isOperator: operator ?? false });
        return { record, path: await makeSignInLink(pool, email), url: config.publicUrl ?? '' };
      });
      const lines = [
        `${made.record.email} is there. A link that signs them in once, below the address of the service:`,
        '',
        made.url + made.path,
      ];
      print({ ...present(made.record), sign_in_path: made.path }, { json, lines });
    });

  user
    .command('list')
    .description('list users with their organizations')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonFlag) => {
      const users = await asOperator(({ pool }) => listUsers(pool));
      printList(users, { json, columns: COLUMNS, present, none: 'There are none yet.' });
    });

  user
    .command('link')
    .description('print a link that signs a user in once, within 15 minutes; whoever has it is that user')
    .argument('<email>', 'mail address')
    .option('--json', 'print JSON')
    .action(async (email: string, { json }: JsonFlag) => {
      const link = await asOperator(
        async ({ pool, config }) => (config.publicUrl ?? '') + (await makeSignInLink(pool, email)),
      );
      print({ sign_in_path: link }, { json, lines: [link] });
    });

  user
    .command('password')
    .description(
      'set the password of a user; it is asked for unless a file or KEYRANK_USER_PASSWORD has it. Ends their sessions',
    )
    .argument('<email>', 'mail address')
    .option('--password-file <file>', 'file that holds the password alone')
    .action(async (email: string, { passwordFile: file }: { passwordFile?: string }) => {
      const [password = ''] = await readSecrets([
        { name: 'password', variable: 'KEYRANK_USER_PASSWORD', file, hasSpaces: true },
      ]);
      await asOperator(({ pool }) => setPassword(pool, { email, password }));
      console.log(`The password of ${email} is set, and their sessions ended.`);
    });

  registerChanges(user);
}

function registerChanges(user: Command): void {
  user
    .command('role')
    .description('change what a user may do in an organization')
    .argument('<email>', 'mail address')
    .argument('<role>', `one of ${ROLES.join(', ')}`, parseRole)
    .requiredOption('--organization <name>', 'organization')
    .option('--json', 'print JSON')
    .action(async (email: string, role: Role, { organization, json }: MemberFlags) => {
      const record = await asOperator(({ pool }) => setRole(pool, { email, organization, role }));
      print(present(record), { json, lines: [`${record.email} is ${role} in "${organization}".`] });
    });

  user
    .command('operator')
    .description('make a user an operator of the whole installation, or no longer')
    .argument('<email>', 'mail address')
    .option('--off', 'no longer')
    .option('--json', 'print JSON')
    .action(async (email: string, { off, json }: JsonFlag & { off?: boolean }) => {
      const record = await asOperator(({ pool }) => setOperator(pool, { email, isOperator: !off }));
      const words = record.isOperator ? 'an operator of this installation' : 'no operator';
      print(present(record), { json, lines: [`${record.email} is ${words}.`] });
    });

  user
    .command('unlink')
    .description(
      'forget who a user is at the OpenID provider, and end their sessions; the next with their address there is linked anew',
    )
    .argument('<email>', 'mail address')
    .option('--json', 'print JSON')
    .action(async (email: string, { json }: JsonFlag) => {
      const record = await asOperator(({ pool }) => unlinkUser(pool, email));
      print(present(record), { json, lines: [`${record.email} is linked to nobody at the provider.`] });
    });

  user
    .command('remove')
    .description('end a membership: keys and sessions there end at once, and what was tracked is deleted')
    .argument('<email>', 'mail address')
    .requiredOption('--organization <name>', 'organization')
    .option('--keep-tracked', 'keep what was tracked as a list of the organization')
    .option('--json', 'print JSON')
    .action(async (email: string, { organization, keepTracked, json }: MemberFlags & { keepTracked?: boolean }) => {
      const tracked = keepTracked ? 'keep' : 'delete';
      const record = await asOperator(({ pool }) => removeUser(pool, { email, organization, tracked }));
      print(present(record), { json, lines: [`${record.email} belongs to "${organization}" no more.`] });
    });
}

const COLUMNS: Columns<UserRecord> = {
  USER: ({ email }) => email,
  OPERATOR: ({ isOperator }) => (isOperator ? 'yes' : ''),
  ORGANIZATIONS: ({ memberships }) =>
    memberships.map(({ organization, role }) => `${organization} (${role})`).join(', '),
  'SIGNS IN BY': ({ hasPassword, hasIdentity }) =>
    [...(hasPassword ? ['password'] : []), ...(hasIdentity ? ['provider'] : [])].join(', ') || 'link',
  SEEN: ({ lastSeenAt }) => shortTime(lastSeenAt, 'never'),
};

function parseRole(text: string): Role {
  const role = ROLES.find((each) => each === text);
  if (role) return role;
  throw new InvalidArgumentError(`Use one of ${ROLES.join(', ')}.`);
}

function present(record: UserRecord) {
  return {
    id: record.id,
    email: record.email,
    is_operator: record.isOperator,
    organizations: record.memberships,
    has_password: record.hasPassword,
    last_seen_at: record.lastSeenAt,
  };
}
