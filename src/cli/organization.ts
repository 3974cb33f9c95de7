import { type Command, Option } from 'commander';
import { SUBSCRIPTION_STATUSES, type Subscription, type SubscriptionStatus } from '../domain/account.ts';
import {
  changeSubscription,
  createOrganization,
  listOrganizations,
  type Organization,
} from '../postgres/organizations.ts';
import { asOperator } from './operator.ts';
import { parseInstant } from './option-values.ts';
import { type Columns, type JsonFlag, print, printList, shortTime } from './output.ts';

interface SubscriptionFlags extends JsonFlag {
  readonly plan?: string;
  readonly status?: SubscriptionStatus;
  readonly until?: Date | null;
}

export function registerOrganization(program: Command): void {
  const organization = program.command('organization').description('organizations and their plans');

  withSubscription(organization.command('create').argument('<name>', 'name, unique without regard to case'))
    .description('make an organization')
    .addHelpText('after', '\nExample:\n  keyrank organization create "Acme Ltd" --plan studio')
    .action(async (name: string, { json, plan, ...flags }: SubscriptionFlags) => {
      const subscription = { plan: plan ?? 'pro', status: 'active', periodEnd: null, ...given(flags) } as const;
      const created = await asOperator(({ pool }) => createOrganization(pool, { name, subscription }));
      print(present(created), { json, lines: [`Made ${describe(created)}.`] });
    });

  organization
    .command('list')
    .description('list all organizations')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonFlag) => {
      const organizations = await asOperator(({ pool }) => listOrganizations(pool));
      printList(organizations, { json, columns: COLUMNS, present, none: 'There are none yet.' });
    });

  withSubscription(organization.command('set-plan').argument('<name>', 'name of the organization'))
    .description('change the plan, status or end of a subscription; it counts from the next request')
    .action(async (name: string, { json, ...flags }: SubscriptionFlags) => {
      const changed = await asOperator(({ pool }) => changeSubscription(pool, { name, change: given(flags) }));
      print(present(changed), { json, lines: [`Now ${describe(changed)}.`] });
    });
}

function withSubscription(command: Command): Command {
  return command
    .option('--plan <plan>', 'plan of the subscription; see: keyrank plan list')
    .addOption(new Option('--status <status>', 'whether it may be used').choices(SUBSCRIPTION_STATUSES))
    .option('--until <time>', 'end of the subscription: a date, a time with zone, or "none"', parseInstant)
    .option('--json', 'print JSON');
}

const COLUMNS: Columns<Organization> = {
  NAME: ({ name }) => name,
  PLAN: ({ subscription }) => subscription.plan,
  STATUS: ({ subscription }) => subscription.status,
  UNTIL: ({ subscription }) => shortTime(subscription.periodEnd, 'no end'),
};

function given({ plan, status, until }: SubscriptionFlags): Partial<Subscription> {
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(status === undefined ? {} : { status }),
    ...(until === undefined ? {} : { periodEnd: until }),
  };
}

function describe({ name, subscription }: Organization): string {
  const end = subscription.periodEnd ? `, until ${shortTime(subscription.periodEnd, '')}` : '';
  return `"${name}" (${subscription.plan}, ${subscription.status}${end})`;
}

function present({ id, name, createdAt, subscription }: Organization) {
  return {
    id,
    name,
    plan: subscription.plan,
    status: subscription.status,
    period_end: subscription.periodEnd,
    created_at: createdAt,
  };
}
