import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateReports } from '../../demo/report.ts';
import type { TestService } from './service.ts';
import { openTemporaryDirectory } from './temporary-directory.ts';

const SIZE = { terms: 600, months: 6, weeks: 3, socialTerms: 80 };
const NOW = new Date('2026-11-15T00:00:00Z');

/** A small set of what `npm start` shows. The newest month may be changed on its way. */
export async function publishDemoData(
  service: TestService,
  changeNewestMonth: (report: string) => string = (report) => report,
): Promise<void> {
  await using directory = await openTemporaryDirectory();
  const reports = [...generateReports({ size: SIZE, now: NOW })];
  const newestMonth = reports.findLast(({ kind, periods }) => kind === 'search' && periods[0]?.frequency === 'monthly');
  for (const kind of ['search', 'social'] as const) {
    const texts: Record<string, string> = {};
    for (const report of reports) {
      if (report.kind !== kind) continue;
      const path = join(directory.path, report.fileName);
      await report.write(path);
      const text = await readFile(path, 'utf8');
      texts[report.fileName] = report === newestMonth ? changeNewestMonth(text) : text;
    }
    await service.publishAll(texts, kind);
  }
}
