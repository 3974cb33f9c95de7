import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      adminPort: 8081,
      databaseUrl: null,
      defaultMarketplace: 'US',
      meterIds: { search: 'meter_search', exports: 'meter_exports', asin: 'meter_asin', alerts: 'meter_alerts' },
      logLevel: 'info',
      publicUrl: null,
      allowPrivateWebhooks: false,
    });
  });

  it('takes an empty value for the default', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ port: 8080, databaseUrl: null });
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80a'],
    ['KEYRANK_WORKERS', '0'],
    ['KEYRANK_DEFAULT_MARKETPLACE', 'USA'],
    ['KEYRANK_SHUTDOWN_SECONDS', '1.5'],
    ['KEYRANK_MARKETPLACES', 'USA'],
    ['KEYRANK_PUBLIC_URL', 'ftp://x'],
    ['KEYRANK_RANK_STORE', 'disk'],
    ['LOG_LEVEL', 'verbose'],
    ['KEYRANK_WEBHOOK_ALLOW_PRIVATE', 'yes'],
  ])('refuses %s=%s by name', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name}=${value} is not valid.`);
  });

  it('takes the nodes of a cluster with one user and one database, and never repeats a password', () => {
    const store = { KEYRANK_RANK_STORE: 'clickhouse' };
    const urls = 'http://u:p%40ss@ch1:8123/ranks, http://u:p%40ss@ch2:8123/ranks';
    expect(readConfig({ ...store, CLICKHOUSE_URL: urls }).clickHouse).toEqual({
      hosts: ['http://ch1:8123', 'http://ch2:8123'],
      ...{ cluster: 'default', database: 'ranks', username: 'u', password: 'p@ss' },
    });
    expect(readConfig({ CLICKHOUSE_URL: 'http://ch1:8123' })).toMatchObject({
      rankStore: 'memory',
      clickHouse: { database: 'keyrank', username: 'default', password: '' },
    });
    expect(() => readConfig(store)).toThrow('needs the addresses of the nodes');
    for (const wrong of ['ch1:8123', 'http://a:secret@b/x,http://a:secret@c/y', 'ftp://a:secret@b']) {
      expect(() => readConfig({ CLICKHOUSE_URL: wrong })).toThrow(/^(?!.*secret).*(addresses)/);
    }
  });

  it('takes marketplaces in any case, all of them unless told', () => {
    expect(readConfig({}).marketplaces).toBeNull();
    expect(readConfig({ KEYRANK_MARKETPLACES: 'us, DE' }).marketplaces).toEqual(['US', 'DE']);
  });

  it('does not repeat the password of a wrong DATABASE_URL', () => {
    expect(() => readConfig({ DATABASE_URL: 'http://u:secret@h/d' })).toThrow(/^(?!.*secret)/);
  });
});
