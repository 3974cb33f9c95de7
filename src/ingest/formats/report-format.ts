// A report format is one value: how its files are recognised, and where their columns, periods, shares, product ids and marketplace
// come from. A new format is a file like its neighbours and a line in known-formats.ts; nothing else asks which format a file has.
import type { Frequency, IsoDate } from '../../domain/period.ts';
import type { ReportingRange } from './report-dates.ts';

/** The most clicked products of a term. */
export const SLOTS = [1, 2, 3] as const;
export type Slot = (typeof SLOTS)[number];

export type ReportColumn =
  | 'rank'
  | 'term'
  | 'date'
  | 'department'
  | 'period_type'
  | 'period'
  | 'platform'
  | `brand_${Slot}`
  | `category_${Slot}`
  | `asin_${Slot}`
  | `title_${Slot}`
  | `click_${Slot}`
  | `conversion_${Slot}`;

export const PRODUCT_COLUMNS = SLOTS.flatMap(
  (slot) => [`asin_${slot}`, `title_${slot}`, `click_${slot}`, `conversion_${slot}`] as const,
);

/** What a file says about itself beside its rows. */
export interface ReportMetadata {
  readonly range?: ReportingRange;
  /** Last day of the period. */
  readonly endDate?: IsoDate;
  /** The search terms that the download was filtered by, as printed; such a file is not a whole period. */
  readonly filter?: string;
}

/** Of files that are one period. */
export interface PeriodRules {
  /** Any day: the week is the ISO week of the last day. */
  readonly weekEndsOn: 'Saturday' | 'any day';
  /** Asked when neither the operator nor the file says it. */
  readonly findFrequency?: (lastDay: IsoDate) => Frequency | undefined;
}

export interface ProductRules {
  /** The scale is never guessed from a value: 0.5 may well mean half a percent. */
  readonly shares: 'percent' | 'fraction';
  /** Letters and digits of an id, at most MAX_PRODUCT_ID_CHARACTERS. */
  readonly minIdCharacters: number;
  readonly maxIdCharacters: number;
}

interface FormatRules {
  /** For messages and the documentation (docs/data.md). */
  readonly name: string;
  /** The period of the file, or of each row, which then names it in period_type and period. */
  readonly period: PeriodRules | 'of each row';
  /** Undefined when its rows have none. */
  readonly products?: ProductRules;
  /** Where it is from when neither the operator nor the content says it. */
  readonly marketplace:
    | { readonly from: 'format'; readonly code: string }
    | { readonly from: 'file name' }
    | { readonly from: 'file name or settings' };
}

/** Recognised by its header, which stands in one of the first lines. */
export interface CsvFormat extends FormatRules {
  readonly kind: 'csv';
  /** Columns by name: lower case, single spaces, plain colons. The first name of a column is for messages. */
  readonly headers: ReadonlyMap<string, ReportColumn>;
  /** A file without these is no report of this format. */
  readonly required: readonly ReportColumn[];
  /** Reads a line before the header; undefined when it is something else. */
  readonly parseMetadataLine?: (fields: readonly string[]) => ReportMetadata | undefined;
}

/** One object with a long list of records, one for each term and product. Recognised by the key of the list. */
export interface JsonFormat extends FormatRules {
  readonly kind: 'json';
  readonly recordsKey: string;
  /** Undefined when the record is not of the whole site. */
  readonly parseRecord: (record: unknown) => TermRecord | undefined;
  /** Reads what stands beside the list. */
  readonly parseSpecification: (values: ReadonlyMap<string, unknown>) => {
    readonly metadata: ReportMetadata;
    readonly marketplace: string | undefined;
  };
}

/** The texts of a record; values of other types are kept as text, for the row's checks to judge. */
export interface TermRecord {
  readonly rank: unknown;
  readonly term: unknown;
  readonly product?: {
    /** The next free one unless given. */
    readonly slot: unknown;
    readonly id: unknown;
    readonly title: unknown;
    readonly clickShare: unknown;
    readonly conversionShare: unknown;
  };
}

export type ReportFormat = CsvFormat | JsonFormat;
