// Telling that a period is late: once for each, to the webhooks of every organization and to the members who track keywords.
import type { LatePeriod } from '../domain/download-schedule.ts';
import { summarizeLate } from '../domain/notice.ts';
import { keepNotice, queueNotices } from './notices.ts';
import { inTransaction, type Pool } from './pool.ts';
import { listMembers } from './publications.ts';
import { queueLate } from './webhook-deliveries.ts';

/** Returns whether it is news. */
export async function tellLate(
  pool: Pool,
  late: LatePeriod,
  { now, tracksMarketplace }: { readonly now: Date; readonly tracksMarketplace: boolean },
): Promise<boolean> {
  const { frequency, year, number } = late.period;
  const place = [late.marketplace, frequency, year, number];
  const noticeKey = `late ${place.join(' ')}`;
  const isNews = await inTransaction(pool, async (transaction) => {
    const { rowCount } = await transaction.query(
      `INSERT INTO late_periods (marketplace, frequency, year, number, noticed_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING`,
      [...place, now],
    );
    if (rowCount !== 1) return false;
    await queueLate(transaction, late, now);
    for (const { organizationId, userId } of tracksMarketplace ? await listMembers(transaction) : []) {
      await transaction.query(
        `INSERT INTO digests (organization_id, user_id, marketplace, frequency, year, number, rows, kind)
         VALUES ($1, $2, $3, $4, $5, $6, '[]', 'late') ON CONFLICT DO NOTHING`,
        [organizationId, userId, ...place],
      );
      await keepNotice(transaction, { organizationId, userId }, { eventKey: noticeKey, section: summarizeLate(late) });
    }
    return true;
  });
  // Asked again at the next look: a process that died in between has told the others only.
  if (tracksMarketplace) await queueNotices(pool, noticeKey);
  return isNews;
}
