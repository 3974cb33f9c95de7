import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AmazonFault, quote } from '../../src/amazon/amazon-fault.ts';
import { type Account, ReportsClient } from '../../src/amazon/reports-client.ts';
import { FakeAmazon, NO_TROUBLE } from './fake-amazon.ts';

const PERIOD = { frequency: 'weekly', year: 2026, number: 28 } as const;

async function open() {
  const clock = { now: new Date('2026-07-15T00:00:00Z') };
  const amazon = await FakeAmazon.open({ now: () => clock.now, random: () => 0.5 });
  const { clientId, clientSecret, refreshToken } = amazon.addAccount();
  const client = new ReportsClient({ amazonUrl: amazon.url, userAgent: 'keyrank/test', now: () => clock.now });
  const account: Account = { connection: { id: 'c', region: 'na', clientId }, secrets: { clientSecret, refreshToken } };
  return {
    clock,
    amazon,
    client,
    account,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await amazon[Symbol.asyncDispose]();
    },
  };
}

async function faultOf(work: Promise<unknown>): Promise<AmazonFault> {
  const fault = await work.catch((error: unknown) => error);
  if (fault instanceof AmazonFault) return fault;
  throw new Error(`no fault: ${String(fault)}`);
}

describe('ReportsClient', () => {
  it('asks, looks, and finds the file', async () => {
    await using world = await open();
    const { client, account, clock } = world;
    const reportId = await client.createReport(account, { marketplace: 'US', period: PERIOD });
    expect(await client.getReport(account, reportId)).toEqual({ status: 'IN_PROGRESS', documentId: null });
    clock.now = new Date('2026-07-15T00:30:00Z');
    const { status, documentId } = await client.getReport(account, reportId);
    expect(status).toBe('DONE');
    expect((await client.findDocument(account, documentId ?? '')).origin).toBe(world.amazon.url);
    const { reports } = await client.listReports(account, {
      marketplace: 'US',
      since: new Date('2026-07-14T00:00:00Z'),
    });
    expect(reports).toEqual([
      {
        reportId,
        status: 'DONE',
        createdAt: new Date('2026-07-15T00:00:00Z'),
        startDate: '2026-07-05',
        endDate: '2026-07-11',
      },
    ]);
  });

  it('takes a token once an hour, and another one when Amazon does not accept it', async () => {
    await using world = await open();
    const { client, account, clock, amazon } = world;
    const look = () => client.getReport(account, 'unknown');
    const tokens = () => [...amazon.secrets].filter((secret) => secret.startsWith('Atza|')).length;
    expect((await faultOf(look())).fault).toBe('gone');
    await faultOf(look());
    expect(tokens()).toBe(1);
    clock.now = new Date(clock.now.getTime() + 3_600_000);
    await faultOf(look());
    expect(tokens()).toBe(2);
    amazon.expireTokens();
    expect((await faultOf(look())).fault).toBe('token-expired');
    expect((await faultOf(look())).fault).toBe('gone');
    expect(tokens()).toBe(3);
  });

  it('tells refused secrets, throttling and trouble apart, without a word of a secret', async () => {
    await using world = await open();
    const { client, account, amazon } = world;
    const wrong = {
      ...account,
      secrets: { ...account.secrets, refreshToken: `Atzr|${randomBytes(32).toString('hex')}` },
    };
    const refused = await faultOf(client.getReport(wrong, 'x'));
    expect(refused.fault).toBe('credentials');
    expect(refused.detail).toMatch(/^invalid_grant: /);
    amazon.trouble = { ...NO_TROUBLE, throttled: 1 };
    expect((await faultOf(client.getReport(account, 'x'))).fault).toBe('throttled');
    amazon.trouble = { ...NO_TROUBLE, unavailable: 1 };
    expect((await faultOf(client.getReport(wrong, 'x'))).detail).not.toContain(wrong.secrets.refreshToken);
    await amazon[Symbol.asyncDispose]();
    const gone = await faultOf(client.getReport(account, 'x'));
    expect([gone.fault, gone.detail]).toEqual(['unavailable', expect.stringMatching(/^no answer \(/)]);
  });

  it.each([
    'http://tortuga-prod-na.s3.amazonaws.com/x',
    'https://amazonaws.com.evil.example/x',
    'https://s3.amazonaws.com@evil.example/x',
    'https://evil.example/?s3.amazonaws.com',
    'https://s3.amazonaws.com:8443/x',
    'https://user@s3.amazonaws.com/x',
    'https://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'not an address',
  ])('fetches no file from %s', (address) => {
    expect(ReportsClient.isStorage(address)).toBe(false);
  });

  it('fetches files from Amazon’s storage', () => {
    expect(ReportsClient.isStorage('https://tortuga-prod-na.s3-external-1.amazonaws.com/x?X-Amz-Signature=y')).toBe(
      true,
    );
  });
});

describe('quote', () => {
  it('leaves out tokens, secrets and addresses, and is one short line', () => {
    const said = `Atza|IwEBI no\nAtzr|IwEBJ no amzn1.oa2-cs.v1.abc at https://a.example/?X-Amz-Signature=1 ${'f'.repeat(80)} ${'x y '.repeat(200)}`;
    const quoted = quote(said);
    expect(quoted).toMatch(/^… no … no … at … … x y/);
    expect(quoted.length).toBeLessThanOrEqual(300);
  });
});
