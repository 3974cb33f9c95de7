// What an import did, for people and for scripts.
import { basename } from 'node:path';
import { periodKey } from '../domain/period.ts';
import type { PublishedPeriod } from '../domain/store.ts';
import type { FileOutcome, PeriodOutcome } from '../ingest/import-outcome.ts';
import { REJECT_EXPLANATIONS, type RejectCount } from '../ingest/reading/reject.ts';
import { count, oneLine } from './output.ts';

export function describeOutcome(outcome: FileOutcome): readonly string[] {
  const lines = [`${oneLine(basename(outcome.file))}: ${outcome.status === 'failed' ? 'not imported' : 'done'}`];
  if (outcome.error) {
    const { line, message } = outcome.error;
    lines.push(line === undefined ? `  ${oneLine(message)}` : `  line ${count(line)}: ${oneLine(message)}`);
  }
  lines.push(...outcome.periods.map((period) => `  ${describePeriod(period)}`));
  if (outcome.rows > 0) {
    lines.push(
      `  ${count(outcome.rows)} rows in ${(outcome.durationMs / 1000).toFixed(1)} s${describeLosses(outcome)}`,
    );
  }
  lines.push(...outcome.rejects.map((reject) => `    ${describeReject(reject)}`));
  if (outcome.rejectsFile !== undefined) lines.push(`    all of them: ${outcome.rejectsFile}`);
  const warnings = new Set(outcome.periods.flatMap((period) => period.warnings));
  lines.push(...[...warnings].map((warning) => `  warning: ${oneLine(warning)}`));
  return lines;
}

function describePeriod(period: PeriodOutcome): string {
  const name = `${period.marketplace} ${period.period.frequency} ${periodKey(period.period)} ${period.source}`;
  const fresh = period.newTerms === undefined ? '' : `, ${count(period.newTerms)} of them new`;
  const size = `${count(period.keywords)} keywords${fresh}, ${count(period.dataPoints)} data points`;
  if (period.status === 'unchanged') {
    return `${name}: unchanged, the same content is already published as revision ${period.revision}`;
  }
  const verb = period.status === 'checked' ? 'would be published' : 'published';
  return `${name}: ${verb} as revision ${period.revision}, ${size}`;
}

function describeLosses({ mergedTwins, rejectedRows, removedNuls, departmentRows }: FileOutcome): string {
  const parts = [
    mergedTwins > 0 ? `${count(mergedTwins)} phantom twins merged` : '',
    departmentRows > 0 ? `${count(departmentRows)} rows of single departments left out` : '',
    removedNuls > 0 ? `${count(removedNuls)} NUL bytes removed` : '',
    rejectedRows > 0 ? `${count(rejectedRows)} rejected:` : '',
  ].filter((part) => part !== '');
  return parts.map((part) => `; ${part}`).join('');
}

function describeReject({ reason, rows, first }: RejectCount): string {
  const example = [first.term, first.detail].filter((text) => text !== '').join(' | ');
  return `${count(rows)} × ${REJECT_EXPLANATIONS[reason]}; first in line ${first.line}${example === '' ? '' : `: ${oneLine(example.slice(0, 120))}`}`;
}

export function presentOutcome(outcome: FileOutcome) {
  return {
    file: outcome.file,
    import_id: outcome.importId,
    status: outcome.status,
    error: outcome.error ? { line: null, ...outcome.error } : null,
    format: outcome.format ?? null,
    rows: outcome.rows,
    merged_twins: outcome.mergedTwins,
    removed_nuls: outcome.removedNuls,
    department_rows: outcome.departmentRows,
    rejected_rows: outcome.rejectedRows,
    rejects: outcome.rejects.map(({ reason, rows, first }) => ({
      reason,
      explanation: REJECT_EXPLANATIONS[reason],
      rows,
      first_line: first.line,
      first_search_term: first.term,
      first_detail: first.detail,
    })),
    rejects_file: outcome.rejectsFile ?? null,
    periods: outcome.periods.map((period) => ({
      marketplace: period.marketplace,
      source: period.source,
      type: period.period.frequency,
      period: periodKey(period.period),
      status: period.status,
      revision: period.revision,
      keywords: period.keywords,
      new_terms: period.newTerms ?? null,
      data_points: period.dataPoints,
      digest: period.digest,
      warnings: period.warnings,
      replaces: period.replaces ? presentReplaced(period.replaces) : null,
    })),
    first_rows: (outcome.firstRows ?? []).map(({ rank, term }) => ({ rank, search_term: term })),
    duration_ms: outcome.durationMs,
  };
}

function presentReplaced({ revision, keywords, dataPoints, publishedAt, sourceFile }: PublishedPeriod) {
  return {
    revision,
    keywords,
    data_points: dataPoints,
    published_at: publishedAt.toISOString(),
    source_file: sourceFile,
  };
}
