import type { Command } from 'commander';
import type { PublishedPeriod } from '../domain/manifest.ts';
import { periodKey } from '../domain/period.ts';
import { loadManifest } from '../postgres/manifest.ts';
import { asOperator } from './operator.ts';
import { print, shortTime, tabulate } from './output.ts';

const HEADER = ['MARKETPLACE', 'SOURCE', 'TYPE', 'PERIOD', 'DATES', 'KEYWORDS', 'REVISION', 'PUBLISHED', 'WARNINGS'];

export function registerPeriods(program: Command): void {
  program
    .command('periods')
    .description('list the published periods, newest first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { periods } = await asOperator(({ pool }) => loadManifest(pool));
      const newestFirst = periods.toReversed();
      const rows = newestFirst.map((published) => [
        published.marketplace,
        published.source,
        published.period.frequency,
        periodKey(published.period),
        `${published.startDate} to ${published.endDate}`,
        published.keywords.toLocaleString('en-US'),
        String(published.revision),
        shortTime(published.publishedAt, ''),
        String(published.warnings.length || ''),
      ]);
      const lines =
        rows.length > 0 ? tabulate(HEADER, rows) : ['Nothing is published yet. Start with: keyrank import FILE'];
      print(newestFirst.map(present), { json, lines });
    });
}

function present(published: PublishedPeriod) {
  return {
    marketplace: published.marketplace,
    source: published.source,
    type: published.period.frequency,
    period: periodKey(published.period),
    start_date: published.startDate,
    end_date: published.endDate,
    keywords: published.keywords,
    data_points: published.dataPoints,
    revision: published.revision,
    published_at: published.publishedAt,
    source_file: published.sourceFile,
    warnings: published.warnings,
    digest: published.digest,
  };
}
