// The same report from Amazon's Selling Partner API: GET_BRAND_ANALYTICS_SEARCH_TERMS_REPORT.
import { findMarketplaceById, WHOLE_SITE_DEPARTMENTS } from '../../domain/marketplace.ts';
import { parseIsoDate } from '../../domain/period.ts';
import type { ReportingRange } from './report-dates.ts';
import type { JsonFormat, TermRecord } from './report-format.ts';

const RANGES: Readonly<Record<string, ReportingRange>> = {
  WEEK: 'weekly',
  MONTH: 'monthly',
  QUARTER: 'quarterly',
  DAY: 'daily',
};

export const AMAZON_JSON: JsonFormat = {
  kind: 'json',
  name: 'Amazon SP-API search terms (JSON)',
  recordsKey: 'dataByDepartmentAndSearchTerm',
  parseRecord,
  parseSpecification,
  period: { weekEndsOn: 'Saturday' },
  products: { shares: 'fraction', minIdCharacters: 10, maxIdCharacters: 10 },
  marketplace: { from: 'file name' },
};

function parseRecord(record: unknown): TermRecord | undefined {
  const department = member(record, 'departmentName');
  if (typeof department === 'string' && !WHOLE_SITE_DEPARTMENTS.has(department.trim().toLowerCase())) return undefined;
  const id = member(record, 'clickedAsin') ?? undefined;
  return {
    rank: member(record, 'searchFrequencyRank'),
    term: member(record, 'searchTerm'),
    ...(id !== undefined && {
      product: {
        slot: member(record, 'clickShareRank'),
        id,
        title: member(record, 'clickedItemName'),
        clickShare: member(record, 'clickShare'),
        conversionShare: member(record, 'conversionShare'),
      },
    }),
  };
}

function parseSpecification(values: ReadonlyMap<string, unknown>): ReturnType<JsonFormat['parseSpecification']> {
  const specification = values.get('reportSpecification');
  const period = String(member(member(specification, 'reportOptions'), 'reportPeriod') ?? '').toUpperCase();
  const range = RANGES[period];
  const endDate = parseIsoDate(String(member(specification, 'dataEndTime') ?? '').slice(0, 10));
  const ids = member(specification, 'marketplaceIds');
  return {
    metadata: { ...(range && { range }), ...(endDate && { endDate }) },
    marketplace: Array.isArray(ids) ? findMarketplaceById(String(ids[0])) : undefined,
  };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
