import type { Command } from 'commander';
import type { DownloadStatus } from '../domain/connection.ts';
import { periodKey } from '../domain/period.ts';
import { getConnection, listConnections } from '../postgres/connections.ts';
import { listDownloads } from '../postgres/download-status.ts';
import { asOperator } from './operator.ts';
import { type Columns, type JsonFlag, print, shortTime, tabulate } from './output.ts';

export function registerConnectionStatus(connection: Command): void {
  connection
    .command('status')
    .description('every period that is fetched: what became of it, what it waits for, and why')
    .argument('[name]', 'only this connection')
    .option('--all', 'also those that were imported')
    .option('--json', 'print JSON')
    .action(async (name: string | undefined, { json, all }: JsonFlag & { all?: boolean }) => {
      const { connections, downloads } = await asOperator(async ({ pool }) => ({
        connections: name === undefined ? await listConnections(pool) : [(await getConnection(pool, name)).connection],
        downloads: await listDownloads(pool, name && (await getConnection(pool, name)).connection.id),
      }));
      const lines = connections.flatMap(({ name: each, fault, disabledAt }) => {
        const own = downloads.filter((download) => download.connection === each);
        const shown = all ? own : own.filter(({ state }) => state !== 'imported');
        return [
          ...summarize(each, own),
          ...(disabledAt ? ['  disabled'] : fault ? [`  ${fault}`] : []),
          ...table(shown),
          '',
        ];
      });
      print(downloads.map(present), {
        json,
        lines: lines.length > 0 ? lines.slice(0, -1) : ['There are no connections.'],
      });
    });
}

function summarize(name: string, downloads: readonly DownloadStatus[]): readonly string[] {
  const count = (state: string) => downloads.filter((download) => download.state === state).length;
  const [imported, failed] = [count('imported'), count('failed')];
  const coming = downloads.length - imported - failed;
  return [`${name}: ${imported} imported, ${coming} coming, ${failed} failed`];
}

function table(downloads: readonly DownloadStatus[]): readonly string[] {
  if (downloads.length === 0) return [];
  const rows = downloads.map((download) => Object.values(COLUMNS).map((cellOf) => cellOf(download)));
  return tabulate(Object.keys(COLUMNS), rows).map((line) => `  ${line}`);
}

const COLUMNS: Columns<DownloadStatus> = {
  MARKETPLACE: ({ marketplace }) => marketplace,
  TYPE: ({ period }) => period.frequency,
  PERIOD: ({ period }) => periodKey(period),
  STATE: ({ state }) => state,
  NEXT: ({ dueAt, isUnderWay }) => (isUnderWay ? 'now' : shortTime(dueAt, '')),
  WHAT: ({ message }) => message,
};

function present(download: DownloadStatus) {
  return {
    connection: download.connection,
    marketplace: download.marketplace,
    type: download.period.frequency,
    period: periodKey(download.period),
    state: download.state,
    message: download.message,
    is_under_way: download.isUnderWay,
    next_at: download.dueAt,
    imported_at: download.importedAt,
    revision: download.revision,
  };
}
