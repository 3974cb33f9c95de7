import { type Command, InvalidArgumentError } from 'commander';
import { OperatorError } from '../domain/error.ts';
import { MAX_PERIOD_LIMIT, MAX_SEARCHES_PER_HOUR, type PeriodLimit, type Plan } from '../domain/plan.ts';
import { changePlan, createPlan, listPlans, type PlanRecord, removePlan } from '../postgres/plans.ts';
import { asOperator } from './operator.ts';
import { type Columns, count, type JsonFlag, print, printList } from './output.ts';

type NumberFlags = Omit<Plan, 'name'>;

const SEARCHES = ['--searches-per-hour <number>', `1 to ${count(MAX_SEARCHES_PER_HOUR)}`, parseSearches] as const;
const MONTHS = ['--months <number>', 'newest months that it shows, or "all"', parsePeriods] as const;
const WEEKS = ['--weeks <number>', 'newest weeks that it shows, or "all"', parsePeriods] as const;

export function registerPlan(program: Command): void {
  const plan = program.command('plan').description('plans: searches per hour, and the periods that they show');

  plan
    .command('create')
    .description('make a plan')
    .argument('<name>', 'small letters, digits and hyphens')
    .requiredOption(...SEARCHES)
    .requiredOption(...MONTHS)
    .requiredOption(...WEEKS)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  keyrank plan create team --searches-per-hour 1000 --months all --weeks 52')
    .action(async (name: string, { json, ...numbers }: NumberFlags & JsonFlag) => {
      const created = await asOperator(({ pool }) => createPlan(pool, { name, ...numbers }));
      print(present(created), { json, lines: [`Made ${describe(created)}.`] });
    });

  plan
    .command('list')
    .description('list all plans')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonFlag) => {
      const plans = await asOperator(({ pool }) => listPlans(pool));
      printList(plans, { json, columns: COLUMNS, present, none: 'There are none.' });
    });

  plan
    .command('set')
    .description('change a plan for all organizations that have it; it counts from the next request')
    .argument('<name>', 'name of the plan')
    .option(...SEARCHES)
    .option(...MONTHS)
    .option(...WEEKS)
    .option('--json', 'print JSON')
    .action(async (name: string, { json, ...change }: Partial<NumberFlags> & JsonFlag) => {
      if (Object.keys(change).length === 0) {
        throw new OperatorError('Nothing was given to change.', {
          hint: 'Give one or more of --searches-per-hour, --months and --weeks.',
        });
      }
      const changed = await asOperator(({ pool }) => changePlan(pool, name, change));
      print(present(changed), { json, lines: [`Now ${describe(changed)}.`] });
    });

  plan
    .command('remove')
    .description('remove a plan that no organization has')
    .argument('<name>', 'name of the plan')
    .option('--json', 'print JSON')
    .action(async (name: string, { json }: JsonFlag) => {
      const removed = await asOperator(({ pool }) => removePlan(pool, name));
      print(present(removed), { json, lines: [`Removed ${describe(removed)}.`] });
    });
}

const COLUMNS: Columns<PlanRecord> = {
  NAME: ({ name }) => name,
  'SEARCHES PER HOUR': ({ searchesPerHour }) => count(searchesPerHour),
  MONTHS: ({ months }) => String(months),
  WEEKS: ({ weeks }) => String(weeks),
  ORGANIZATIONS: ({ organizations }) => count(organizations),
};

function parseSearches(text: string): number {
  return parseWhole(text, { most: MAX_SEARCHES_PER_HOUR, orElse: '' });
}

function parsePeriods(text: string): PeriodLimit {
  return text === 'all' ? 'all' : parseWhole(text, { most: MAX_PERIOD_LIMIT, orElse: ', or "all"' });
}

function parseWhole(text: string, { most, orElse }: { readonly most: number; readonly orElse: string }): number {
  const number = Number(text);
  if (/^[0-9]{1,9}$/.test(text) && number >= 1 && number <= most) return number;
  throw new InvalidArgumentError(`Use a whole number from 1 to ${count(most)}${orElse}.`);
}

function describe({ name, searchesPerHour, months, weeks }: Plan): string {
  const shown = `${months} ${months === 1 ? 'month' : 'months'}, ${weeks} ${weeks === 1 ? 'week' : 'weeks'}`;
  return `"${name}" (${count(searchesPerHour)} searches per hour, ${shown})`;
}

function present({ name, searchesPerHour, months, weeks, isBuiltIn, organizations }: PlanRecord) {
  return { name, searches_per_hour: searchesPerHour, months, weeks, built_in: isBuiltIn, organizations };
}
