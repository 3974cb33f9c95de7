import type { DownloadFault } from '../domain/download.ts';
import { OperatorError } from '../domain/error.ts';
import { listMarketplaceCodes } from '../domain/marketplace.ts';
import { AmazonFault } from './amazon-fault.ts';
import { type Account, ReportsClient, type ReportsClientOptions } from './reports-client.ts';

const HINTS: Readonly<Partial<Record<DownloadFault, string>>> = {
  credentials:
    'Check the client id, the client secret and the refresh token, and that the seller still allows the application.',
  forbidden: 'Give the application the Brand Analytics role, let the seller allow it again, and check the region.',
  'token-expired': 'Check the region: an account of one region is unknown in the others.',
  throttled: 'Wait a minute and try again.',
  unavailable: 'Check that the machine of this service reaches Amazon over https, and try again.',
};

/** A real token and a real question, before anything is kept. */
export async function checkAccount(options: ReportsClientOptions, account: Account): Promise<void> {
  await using client = new ReportsClient(options);
  const [marketplace = ''] = listMarketplaceCodes(account.connection.region);
  try {
    await client.listReports(account, { marketplace, since: options.now() });
  } catch (error) {
    if (!(error instanceof AmazonFault)) throw error;
    const hint = HINTS[error.fault];
    throw new OperatorError(`Amazon did not answer as it should: ${error.detail}`, {
      ...(hint !== undefined && { hint }),
    });
  }
}
