import { AMAZON_CSV } from './amazon-csv.ts';
import { AMAZON_JSON } from './amazon-json.ts';
import { PLAIN_CSV } from './plain-csv.ts';
import type { ReportFormat } from './report-format.ts';
import { WALMART_CSV } from './walmart-csv.ts';

export const REPORT_FORMATS: readonly ReportFormat[] = [AMAZON_CSV, AMAZON_JSON, WALMART_CSV, PLAIN_CSV];
