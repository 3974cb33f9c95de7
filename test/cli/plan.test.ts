import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { type CommandResult, runKeyrank } from '../support/process.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

function keyrank(...args: string[]): Promise<CommandResult> {
  return runKeyrank(args, { DATABASE_URL: database.url.href });
}

const NUMBERS = ['--searches-per-hour', '1000', '--months', 'all', '--weeks', '52'];

describe('keyrank plan', () => {
  it('makes, changes, lists and removes plans', async () => {
    expect(await keyrank('plan', 'create', 'team', ...NUMBERS)).toEqual({
      code: 0,
      stdout: 'Made "team" (1,000 searches per hour, all months, 52 weeks).\n',
      stderr: '',
    });
    await keyrank('plan', 'create', 'a-2', '--searches-per-hour', '1', '--months', '1', '--weeks', 'all');
    expect((await keyrank('plan', 'set', 'team', '--months', '12')).stdout).toBe(
      'Now "team" (1,000 searches per hour, 12 months, 52 weeks).\n',
    );
    expect((await keyrank('organization', 'create', 'Acme', '--plan', 'team')).stdout).toBe(
      'Made "Acme" (team, active).\n',
    );
    expect((await keyrank('plan', 'list')).stdout).toBe(
      [
        'NAME    SEARCHES PER HOUR  MONTHS  WEEKS  ORGANIZATIONS',
        'pro     100                24      6      0',
        'studio  500                all     6      0',
        'owner   10,000             all     all    0',
        'a-2     1                  1       all    0',
        'team    1,000              12      52     1',
        '',
      ].join('\n'),
    );
    const removed = await keyrank('plan', 'remove', 'a-2', '--json');
    expect(JSON.parse(removed.stdout)).toEqual({
      ...{ name: 'a-2', searches_per_hour: 1, months: 1, weeks: 'all', built_in: false, organizations: 0 },
    });
    expect(JSON.parse((await keyrank('plan', 'list', '--json')).stdout)).toMatchObject([
      { name: 'pro', built_in: true },
      { name: 'studio', built_in: true },
      { name: 'owner', built_in: true },
      { name: 'team', built_in: false, organizations: 1 },
    ]);
  });

  it('writes each change to the audit log', async () => {
    const { rows } = await database.operator.query('SELECT action, details FROM audit_log ORDER BY occurred_at');
    const team = { name: 'team', searchesPerHour: 1000, months: 'all', weeks: 52 };
    expect(rows).toEqual([
      { action: 'plan.create', details: team },
      { action: 'plan.create', details: { name: 'a-2', searchesPerHour: 1, months: 1, weeks: 'all' } },
      { action: 'plan.set', details: { ...team, months: 12 } },
      expect.objectContaining({ action: 'organization.create' }),
      { action: 'plan.remove', details: { name: 'a-2' } },
    ]);
  });

  const whole = (most: string) => `Use a whole number from 1 to ${most}`;
  const ships = (name: string) => `error: The plan "${name}" ships with keyrank and stays as it is.`;
  it.each([
    [['plan', 'create', 'team', ...NUMBERS], 'error: There is already a plan "team".', 1],
    [['plan', 'create', 'pro', ...NUMBERS], 'error: There is already a plan "pro".', 1],
    [['plan', 'create', 'Team 2', ...NUMBERS], 'error: "Team 2" cannot be the name of a plan.\nUse 1 to 40 of', 1],
    [['plan', 'create', 'all', ...NUMBERS], 'error: "all" cannot be the name of a plan.', 1],
    [['plan', 'create', 'new', ...NUMBERS.slice(2)], "error: required option '--searches-per-hour", 2],
    [['plan', 'create', 'new', ...NUMBERS.slice(0, 4)], "error: required option '--weeks", 2],
    [['plan', 'set', 'team', '--searches-per-hour', '0'], whole('100,000'), 2],
    [['plan', 'set', 'team', '--searches-per-hour', '-5'], whole('100,000'), 2],
    [['plan', 'set', 'team', '--searches-per-hour', '100001'], whole('100,000'), 2],
    [['plan', 'set', 'team', '--searches-per-hour', 'all'], whole('100,000'), 2],
    [['plan', 'set', 'team', '--searches-per-hour', '1e3'], whole('100,000'), 2],
    [['plan', 'set', 'team', '--months', '1.5'], `${whole('10,000')}, or "all".`, 2],
    [['plan', 'set', 'team', '--weeks', '0'], `${whole('10,000')}, or "all".`, 2],
    [['plan', 'set', 'team', '--weeks', '99999999999999999999'], `${whole('10,000')}, or "all".`, 2],
    [['plan', 'set', 'team'], 'error: Nothing was given to change.', 1],
    [
      ['plan', 'set', 'nobody', '--months', '1'],
      'error: There is no plan "nobody".\nKnown: pro, studio, owner, team.',
      1,
    ],
    [['plan', 'set', 'pro', '--months', '36'], ships('pro'), 1],
    [['plan', 'remove', 'studio'], ships('studio'), 1],
    [['plan', 'remove', 'owner'], ships('owner'), 1],
    [['plan', 'remove', 'nobody'], 'error: There is no plan "nobody".', 1],
    [['plan', 'remove', 'team'], 'error: The plan "team" is in use, for example by "Acme".\nMove them first', 1],
    [['organization', 'set-plan', 'Acme', '--plan', 'gold'], 'error: There is no plan "gold".\nKnown: pro, studio,', 1],
    [['organization', 'create', 'New', '--plan', 'gold'], 'error: There is no plan "gold".', 1],
  ])('%j fails with a message that says what to do, and nothing changes', async (args, message, code) => {
    const stored = async () => [
      (await database.operator.query('SELECT * FROM plans ORDER BY name')).rows,
      (await database.operator.query('SELECT * FROM subscriptions')).rows,
      (await database.operator.query('SELECT id FROM audit_log ORDER BY id')).rows,
    ];
    const before = await stored();
    const result = await keyrank(...args);
    expect(result.stderr).toContain(message);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(await stored()).toEqual(before);
  });
});
