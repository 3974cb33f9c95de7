// Writes one week of so many rows to a directory and ends, with all the memory that this took: whoever measures must not hold it.
import { join } from 'node:path';
import { generateReports } from '../../demo/report.ts';
import { type PeriodKey, periodKey } from '../../src/domain/period.ts';
import { syncFile } from '../../src/ingest/publish/durable-file.ts';

export interface WrittenWeek {
  readonly path: string;
  readonly period: PeriodKey;
}

const [, , directory = '', rows = ''] = process.argv;
const [report] = generateReports({
  size: { terms: Number(rows), months: 0, weeks: 1, socialTerms: 0 },
  now: new Date(),
});
const [period] = report?.periods ?? [];
if (!report || !period) throw new Error('A week has a report.');
const path = join(directory, report.fileName);
await report.write(path);
// Or the system would write it to disk while searches are measured.
await syncFile(path);
process.send?.({ path, period: periodKey(period) } satisfies WrittenWeek);
process.disconnect?.();
