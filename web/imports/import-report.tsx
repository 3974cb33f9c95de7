import type { ReportImport } from '../api/wire.ts';
import { formatNumber, formatShort } from '../parts/format.ts';
import { periodWords } from './import-words.ts';

type Report = NonNullable<ReportImport['report']>;
type Period = Report['periods'][number];

/** What was recognised in a file, and what is odd about it. */
export function ImportReport({ each }: { readonly each: ReportImport }) {
  const { report } = each;
  if (!report) return null;
  const warnings = [...new Set(report.periods.flatMap((period) => period.warnings))];
  const left = report.period_count - report.periods.length;
  return (
    <div class="import-report">
      <p class="muted">
        {report.format ? `${report.format}, ` : ''}
        {report.rows === 1 ? 'one row' : `${formatNumber(report.rows)} rows`}
        {report.merged_twins > 0 && `, ${formatNumber(report.merged_twins)} twins merged`}
        {report.department_rows > 0 && `, ${formatNumber(report.department_rows)} of single departments left out`}
        {report.removed_nuls > 0 && `, ${formatNumber(report.removed_nuls)} NUL bytes removed`}
      </p>
      {report.periods.length > 0 && (
        <ul class="import-periods">
          {report.periods.map((period) => (
            <li key={`${period.marketplace} ${period.type} ${period.period}`}>
              <b>{periodWords(period)}</b> <PeriodWords period={period} />
            </li>
          ))}
          {left > 0 && <li class="muted">and {formatNumber(left)} more periods</li>}
        </ul>
      )}
      {warnings.map((warning) => (
        <p key={warning} class="import-warning">
          {warning}
        </p>
      ))}
      {report.first_rows.length > 0 && (
        <p>
          Best ranks:{' '}
          {report.first_rows.map(({ rank, search_term: term }) => (
            <span key={`${rank} ${term}`} class="import-row">
              <span class="muted numbers">{formatNumber(rank)}</span> {term}
            </span>
          ))}
        </p>
      )}
      <Rejects report={report} />
    </div>
  );
}

function PeriodWords({ period }: { readonly period: Period }) {
  const { status, replaces, keywords, revision } = period;
  const size = keywords === 1 ? 'one keyword' : `${formatNumber(keywords)} keywords`;
  if (status === 'unchanged') return <>has this content already, as revision {revision}.</>;
  if (status === 'undone') return <>was taken back.</>;
  const verb = status === 'checked' ? 'would be' : 'is';
  if (!replaces) {
    return (
      <>
        {verb} new, {size}.
      </>
    );
  }
  const change = keywords - replaces.keywords;
  const sign = change > 0 ? '+' : change < 0 ? '−' : '±';
  return (
    <>
      {verb} revision {revision}, {size}: {sign}
      {formatShort(Math.abs(change))} beside the {formatNumber(replaces.keywords)} of revision {replaces.revision} (
      {replaces.source_file}).
    </>
  );
}

function Rejects({ report }: { readonly report: Report }) {
  if (report.rejects.length === 0) return null;
  return (
    <>
      <p>{report.rejected_rows === 1 ? 'One row' : `${formatNumber(report.rejected_rows)} rows`} cannot be read:</p>
      <ul class="import-rejects">
        {report.rejects.map((reject) => (
          <li key={reject.reason}>
            {formatNumber(reject.rows)} × {reject.explanation}, first in line {formatNumber(reject.first_line)}
            {(reject.first_search_term || reject.first_detail) && (
              <code>{[reject.first_search_term, reject.first_detail].filter(Boolean).join(' | ').slice(0, 120)}</code>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
