// One very large report, fetched and imported by a server, and what that takes of memory and disk.
import { readdir, readFile, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SecretKeys } from '../../src/amazon/secret-keys.ts';
import { listWantedPeriods } from '../../src/domain/download-schedule.ts';
import { findMarketplaceId } from '../../src/domain/marketplace.ts';
import { periodDates } from '../../src/domain/period.ts';
import { addConnection } from '../../src/postgres/connection-changes.ts';
import { FakeAmazon } from '../amazon/fake-amazon.ts';
import { openWorkbench } from '../ingest/workbench.ts';
import { startServerProcess } from '../support/process.ts';
import type { Finding, Trial } from './promised.ts';

const MIB = 1024 * 1024;
const SERVER_GOAL_BYTES = 256 * MIB;
/** What an import may take for reading and sorting, and its process beside it. */
const IMPORT_GOAL_BYTES = 2_300_000_000;
const LOOK_MS = 100;
const MARKETPLACE_ID = findMarketplaceId('US', 'na') ?? '';
const CONNECTION_ID = '5f0c7c1e-6d5b-4a55-9d5e-0f6a3f1f8a11';

export async function tryLargeDownload({ quick, report }: Trial): Promise<Finding> {
  const bodyBytes = quick ? 12e6 : 1e9;
  const lookBack = { lookBackWeeks: 1, lookBackMonths: 0, since: null };
  const [period] = listWantedPeriods(lookBack, 'weekly', new Date());
  if (!period) throw new Error('there is no week');
  const sent = { bytes: 0, terms: 0 };
  const body = (response: ServerResponse) => {
    const pieces = Readable.from(largeReport(periodDates(period), bodyBytes, sent));
    pipeline(pieces, response).catch(() => {});
  };
  await using amazon = await FakeAmazon.open({ now: () => new Date(), random: () => 0.9, body });
  await using bench = await openWorkbench();
  const account = amazon.addAccount();
  const { clientId } = account;
  amazon.addReport(account, { marketplaceId: MARKETPLACE_ID, period });
  const keys = await SecretKeys.open({ secretKeys: null, dataDirectory: bench.dataDirectory }, { creates: true });
  const connection = {
    id: CONNECTION_ID,
    organizationId: null,
    name: 'large',
    region: 'na' as const,
    marketplaces: ['US'],
    clientId,
    ...lookBack,
  };
  const { operator } = bench.database;
  await using server = await startServerProcess({
    DATABASE_URL: bench.database.url.href,
    KEYRANK_DATA_DIR: bench.dataDirectory,
    KEYRANK_AMAZON_URL: amazon.url,
  });
  const { pid = 0 } = server.child;
  const before = await residentBytes(pid, 'VmRSS');
  // From here on it is fetched.
  await addConnection(operator, { given: connection, sealed: keys.seal(CONNECTION_ID, account) });
  const peak = { server: 0, import: 0, disk: 0 };
  let state = '';
  while (state !== 'imported' && state !== 'failed') {
    // Once it is imported the server holds its ranks, which is another matter than fetching them.
    if (state !== 'downloaded') peak.server = Math.max(peak.server, (await residentBytes(pid, 'VmRSS')) - before);
    for (const child of await listChildren(pid))
      peak.import = Math.max(peak.import, await residentBytes(child, 'VmHWM'));
    peak.disk = Math.max(peak.disk, await diskBytes(join(bench.dataDirectory, 'downloads')));
    const { rows } = await operator.query<{ state: string; message: string }>('SELECT state, message FROM downloads');
    const [row] = rows;
    if (row && row.state !== state) report(`${row.state}: ${row.message}`);
    state = row?.state ?? '';
    await sleep(LOOK_MS);
  }
  const [published] = (await bench.manifest()).periods;
  const faults = [
    published?.keywords === sent.terms ? '' : `${published?.keywords} of ${sent.terms} keywords`,
    peak.server <= SERVER_GOAL_BYTES ? '' : 'the server grew too much',
    peak.import > 0 && peak.import <= IMPORT_GOAL_BYTES ? '' : 'the import took too much',
    peak.disk <= sent.bytes * 1.01 ? '' : 'the body lay on disk more than once',
    (await diskBytes(join(bench.dataDirectory, 'downloads'))) === 0 ? '' : 'the body was left behind',
  ].filter((fault) => fault !== '');
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  return {
    kept: faults.length === 0,
    figure:
      `${megabytes(sent.bytes)} with ${sent.terms} keywords: the server grew by ${megabytes(peak.server)} while it came, the import took ` +
      `${megabytes(peak.import)}, the body ${megabytes(peak.disk)} of disk; ${faults.length} faults ${faults[0] ?? ''}`.trim(),
  };
}

/** One JSON object on one line, made as it is read. */
function* largeReport(
  { start, end }: { readonly start: string; readonly end: string },
  bytes: number,
  sent: { bytes: number; terms: number },
): Generator<Buffer> {
  const specification = {
    reportType: 'GET_BRAND_ANALYTICS_SEARCH_TERMS_REPORT',
    reportOptions: { reportPeriod: 'WEEK' },
    dataStartTime: start,
    dataEndTime: end,
    marketplaceIds: [MARKETPLACE_ID],
  };
  sent.bytes = 0;
  sent.terms = 0;
  let text = `{"reportSpecification":${JSON.stringify(specification)},"dataByDepartmentAndSearchTerm":[`;
  while (sent.bytes < bytes) {
    for (let n = 0; n < 500; n += 1) {
      sent.terms += 1;
      const rank = sent.terms;
      for (let slot = 1; slot <= 3; slot += 1) {
        const asin = `B0${String((rank * 3 + slot) % 100_000_000).padStart(8, '0')}`;
        text +=
          `${rank === 1 && slot === 1 ? '' : ','}{"departmentName":"Amazon.com","searchTerm":"term number ${rank} of many","searchFrequencyRank":${rank},` +
          `"clickedAsin":"${asin}","clickedItemName":"Product ${asin} with a title of a usual length for its kind","clickShareRank":${slot},` +
          `"clickShare":0.${slot}1,"conversionShare":0.05}`;
      }
    }
    const piece = Buffer.from(text);
    sent.bytes += piece.length;
    text = '';
    yield piece;
  }
  const last = Buffer.from(']}');
  sent.bytes += last.length;
  yield last;
}

async function residentBytes(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
}

/** Processes that a process started. */
async function listChildren(pid: number): Promise<readonly number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  return lists.join(' ').split(/\s+/).filter(Boolean).map(Number);
}

async function diskBytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map((file) =>
      stat(join(file.parentPath, file.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
