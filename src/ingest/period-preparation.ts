import { allDone } from '../domain/containment.ts';
import { isSamePeriod, periodDates } from '../domain/period.ts';
import { listPeriods, nextRevision, type PublicationBatch } from '../domain/rank-publisher.ts';
import type { RankSource } from '../domain/store.ts';
import type { PeriodOutcome } from './import-outcome.ts';
import type { ImportStage } from './import-request.ts';
import { type FilePeriod, selectPeriod, summarize } from './reading/period-rows.ts';
import type { SessionRows } from './session-rows.ts';
import { sizeWarning } from './size-warning.ts';

export interface PeriodRequest {
  readonly rows: SessionRows;
  readonly filePeriod: FilePeriod;
  readonly marketplace: string;
  readonly source: RankSource;
  readonly sourceFile: string;
  readonly warnings: readonly string[];
  readonly isDryRun: boolean;
  readonly batch: PublicationBatch<SessionRows>;
  readonly onStage: (stage: ImportStage) => void;
  readonly now: () => Date;
}

/** Adds a period to the batch, unless it is unchanged or this is a dry run. */
export async function preparePeriod(request: PeriodRequest): Promise<PeriodOutcome> {
  const { rows, filePeriod, marketplace, source, batch, onStage } = request;
  const { period } = filePeriod;
  const place = { marketplace, source, period };
  onStage('checking');
  await selectPeriod(rows.session, filePeriod);
  const published = listPeriods(batch.draft, { marketplace, source, frequency: period.frequency });
  const current = published.find((candidate) => isSamePeriod(candidate.period, period));
  // What is not published yet can only be new, so that nothing has to wait for the digest.
  const early = current || request.isDryRun ? undefined : batch.expect(place, rows);
  const [{ keywords, dataPoints, digest }] = await allDone([summarize(rows.session), early]);
  if (current?.digest === digest && (await batch.isIntact(current, rows))) {
    const { revision, warnings } = current;
    return { ...place, revision, keywords, dataPoints, digest, warnings, status: 'unchanged' };
  }
  const unusual = sizeWarning({ keywords, period, published });
  const warnings = unusual === undefined ? request.warnings : [...request.warnings, unusual];
  const revision = nextRevision(batch.draft, place);
  const outcome = { ...place, revision, keywords, dataPoints, digest, warnings };
  const replaces = current && { replaces: current };
  if (request.isDryRun) return { ...outcome, ...replaces, status: 'checked' };
  const { start, end } = periodDates(period);
  const { newTerms } = await batch.add(
    { ...outcome, startDate: start, endDate: end, publishedAt: request.now(), sourceFile: request.sourceFile },
    rows,
    { onStage },
  );
  return { ...outcome, ...replaces, status: 'published', newTerms };
}
