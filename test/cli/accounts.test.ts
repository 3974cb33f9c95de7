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

describe('keyrank organization', () => {
  it('creates, changes and lists organizations', async () => {
    expect(await keyrank('organization', 'create', 'Acme Ltd', '--plan', 'studio')).toEqual({
      code: 0,
      stdout: 'Made "Acme Ltd" (studio, active).\n',
      stderr: '',
    });
    await keyrank('organization', 'create', 'Zed', '--status', 'inactive', '--until', '2027-01-31');
    expect((await keyrank('organization', 'set-plan', 'acme ltd', '--plan', 'pro')).stdout).toBe(
      'Now "Acme Ltd" (pro, active).\n',
    );
    expect((await keyrank('organization', 'list')).stdout).toBe(
      [
        'NAME      PLAN  STATUS    UNTIL',
        'Acme Ltd  pro   active    no end',
        'Zed       pro   inactive  2027-01-31 00:00Z',
        '',
      ].join('\n'),
    );
    expect(JSON.parse((await keyrank('organization', 'list', '--json')).stdout)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'Acme Ltd',
        plan: 'pro',
        status: 'active',
        period_end: null,
        created_at: expect.any(String),
      },
      expect.objectContaining({ name: 'Zed', period_end: '2027-01-31T00:00:00.000Z' }),
    ]);
  });

  it('writes each change to the audit log', async () => {
    const { rows } = await database.operator.query('SELECT action FROM audit_log ORDER BY occurred_at');
    expect(rows.map(({ action }) => action)).toEqual([
      'organization.create',
      'organization.create',
      'organization.set-plan',
    ]);
  });

  it.each([
    [['create', 'ACME LTD'], 'error: There is already an organization "ACME LTD".\nChoose another name', 1],
    [['create', ' '], 'error: " " cannot be the name of an organization.\nUse 1 to 100 printable characters.', 1],
    [
      ['set-plan', 'Nobody', '--plan', 'pro'],
      'error: There is no organization "Nobody".\nKnown: "Acme Ltd", "Zed".',
      1,
    ],
    [['create', 'X', '--plan', 'gold'], 'error: There is no plan "gold".\nKnown: pro, studio, owner.', 1],
    [['create'], "error: missing required argument 'name'", 2],
    [['create', 'X', '--until', 'soon'], 'Use a date such as 2027-01-31', 2],
    [['rename'], "error: unknown command 'rename'", 2],
  ])('organization %j fails with a message that says what to do', async (args, message, code) => {
    const result = await keyrank('organization', ...args);
    expect(result.stderr).toContain(message);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect((await database.operator.query('SELECT FROM organizations')).rowCount).toBe(2);
  });
});

describe('keyrank key', () => {
  it('creates a key that is shown once, lists, rotates and disables it', async () => {
    const created = await keyrank('key', 'create', '--organization', 'Acme Ltd', '--user', 'ada@acme.example');
    const [key = ''] = created.stdout.split('\n');
    expect(created.stdout).toBe(
      `${key}\n\nFor ada@acme.example in "Acme Ltd". It is not stored and will not be shown again.\n`,
    );
    expect(key).toMatch(/^krk_[0-9A-Za-z]{36}$/);

    const listed = await keyrank('key', 'list', '--organization', 'acme ltd');
    expect(listed.stdout).toContain(`${key.slice(0, 10)}…`);
    expect(listed.stdout).not.toContain(key);

    const rotated = JSON.parse((await keyrank('key', 'rotate', key.slice(0, 10), '--json')).stdout);
    expect(rotated).toMatchObject({ user: 'ada@acme.example', organization: 'Acme Ltd', disabled_at: null });
    expect(rotated.key).not.toBe(key);

    expect((await keyrank('key', 'disable', rotated.id)).stdout).toBe(
      `Disabled ${rotated.prefix}… of ada@acme.example in "Acme Ltd".\n`,
    );
    const states = JSON.parse((await keyrank('key', 'list', '--json')).stdout).map(
      (each: { disabled_at: string | null }) => each.disabled_at !== null,
    );
    expect(states).toEqual([true, true]);
  });

  it('grants only the scopes asked for', async () => {
    const created = await keyrank(
      ...['key', 'create', '--organization', 'Zed', '--user', 'z@zed.example', '--scopes', 'export,search', '--json'],
    );
    expect(JSON.parse(created.stdout).scopes).toEqual(['search', 'export']);
  });

  it.each([
    [['create', '--organization', 'Nobody', '--user', 'a@b'], 'error: There is no organization "Nobody".', 1],
    [
      ['create', '--organization', 'Zed', '--user', 'not an address'],
      'error: "not an address" is not an email address.',
      1,
    ],
    [['create', '--organization', 'Zed', '--user', 'a@b', '--scopes', 'all'], 'Use one or more of search, export', 2],
    [['create', '--organization', 'Zed'], "error: required option '--user <email>' not specified", 2],
    [['disable', 'krk_nosuch'], 'error: There is no key "krk_nosuch".\nList the keys with: keyrank key list', 1],
    [['list', '--organization', 'Nobody'], 'error: There is no organization "Nobody".', 1],
  ])('key %j fails with a message that says what to do', async (args, message, code) => {
    const result = await keyrank('key', ...args);
    expect(result.stderr).toContain(message);
    expect([result.code, result.stdout]).toEqual([code, '']);
  });
});

describe('keyrank', () => {
  it.each([[[]], [['organization']], [['key']]])('%j without a command shows its help', async (args) => {
    const result = await keyrank(...args);
    expect(result.stderr).toContain('Usage: keyrank');
    expect(result.code).toBe(2);
  });

  it.each([
    [['--help']],
    [['serve', '--help']],
    [['key', 'create', '--help']],
    [['organization', 'set-plan', '--help']],
  ])('%j explains itself', async (args) => {
    const result = await keyrank(...args);
    expect(result.stdout).toContain('Usage: keyrank');
    expect([result.code, result.stderr]).toEqual([0, '']);
  });

  it('--version prints the version', async () => {
    expect((await keyrank('--version')).stdout).toMatch(/^[0-9]+\.[0-9]+\.[0-9]+\n$/);
  });
});

describe('keyrank webhook', () => {
  const WEBHOOKS = ['Hooks', 'Other hooks'];

  it('lists, pauses, resumes and removes webhooks', async () => {
    for (const name of WEBHOOKS) {
      await keyrank('organization', 'create', name);
      await keyrank('key', 'create', '--organization', name, '--user', 'hook@example.com');
      await database.owner.query(
        `INSERT INTO webhooks (organization_id, user_id, url, events, secret)
         SELECT m.organization_id, user_id, 'https://hooks.example.com/', ARRAY['period.published'], '\\x00'
         FROM memberships m JOIN organizations o ON o.id = m.organization_id WHERE o.name = $1`,
        [name],
      );
    }
    const list = async () => JSON.parse((await keyrank('webhook', 'list', '--organization', 'hooks', '--json')).stdout);
    const [{ id }] = await list();
    expect(await list()).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: 'webhook',
        organization: 'Hooks',
        user: 'hook@example.com',
        url: 'https://hooks.example.com/',
        events: ['period.published'],
        created_at: expect.any(String),
        is_active: true,
        paused_reason: null,
        pending_deliveries: 0,
        failed_deliveries: 0,
      },
    ]);
    expect(await keyrank('webhook', 'disable', id)).toEqual({
      code: 0,
      stdout: 'Paused https://hooks.example.com/ of hook@example.com in "Hooks".\n',
      stderr: '',
    });
    const table = (await keyrank('webhook', 'list')).stdout.split('\n');
    expect(table[0]).toMatch(/^ID +ORGANIZATION +USER +KIND +STATE +WAITING +FAILED +CREATED +ADDRESS$/);
    expect(table[1]).toContain(' paused ');
    expect(table[2]).toContain(' active ');
    expect(JSON.parse((await keyrank('webhook', 'enable', id, '--json')).stdout)).toMatchObject({ is_active: true });
    expect((await keyrank('webhook', 'remove', id)).stdout).toMatch(/^Removed https/);
    expect(await list()).toEqual([]);
    expect((await keyrank('webhook', 'list', '--organization', 'hooks')).stdout).toBe('There are none.\n');
  });

  it('says what is wrong with an id or an organization, and what to do', async () => {
    for (const command of ['disable', 'enable', 'remove']) {
      expect(await keyrank('webhook', command, 'nonsense')).toEqual({
        code: 1,
        stdout: '',
        stderr: 'error: There is no webhook "nonsense".\nList the webhooks with: keyrank webhook list\n',
      });
    }
    expect((await keyrank('webhook', 'list', '--organization', 'Nobody')).code).toBe(1);
  });

  it('is told of by the commands for keys: the last one pauses, a new one does not resume', async () => {
    const created = ['key', 'create', '--organization', 'Other hooks', '--user', 'hook@example.com'];
    const [key] = JSON.parse((await keyrank('key', 'list', '--organization', 'Other hooks', '--json')).stdout);
    await keyrank('key', 'disable', key.id);
    const list = async () =>
      JSON.parse((await keyrank('webhook', 'list', '--organization', 'Other hooks', '--json')).stdout);
    const [{ id, paused_reason }] = await list();
    expect(paused_reason).toBe('no_key');
    const refused = await keyrank('webhook', 'enable', id);
    expect(refused.stderr).toMatch(/^error: hook@example.com has no usable key in "Other hooks".*\nMake a key first: /);
    expect((await keyrank(...created)).stdout).toContain(
      'Webhooks of this user that stay paused: 1. Resume them with:',
    );
    expect((await keyrank('webhook', 'enable', id)).code).toBe(0);
    expect(JSON.parse((await keyrank(...created, '--json')).stdout)).toMatchObject({ paused_webhooks: 0 });
  });
});

describe('keyrank publications', () => {
  it('lists what not everyone was told of, and has it tried again', async () => {
    expect((await keyrank('publications', 'list')).stdout).toBe('Everyone was told of everything.\n');
    expect((await keyrank('publications', 'retry')).stdout).toBe('None was set aside.\n');
    await database.owner.query(
      `INSERT INTO publications (marketplace, source, frequency, year, number, revision, start_date, end_date, keywords,
         published_at, manifest_version, attempts, set_aside_at, error)
       VALUES ('US', 'search', 'monthly', 2026, 1, 1, '2026-01-01', '2026-01-31', 1, now(), 1, 9, '2026-02-03', 'no luck')`,
    );
    expect((await keyrank('publications', 'list')).stdout).toMatch(
      /US +search +monthly +01-2026 +set aside 2026-02-03 00:00Z +9 +no luck/,
    );
    expect(JSON.parse((await keyrank('publications', 'retry', '--json')).stdout)).toEqual({ retried: 1 });
    expect(JSON.parse((await keyrank('publications', 'list', '--json')).stdout)).toMatchObject([
      { period: '01-2026', attempts: 0, set_aside_at: null },
    ]);
  });
});
