// The rows of the modelled tables, in the names of their columns.

import type { Manifest } from '../../../src/snapshot/manifest/manifest.ts';

export type FileColumns = { readonly path: string; readonly size_bytes: number; readonly sha256: string };
type SetColumns = { readonly marketplace: string; readonly source: string; readonly frequency: string };
type PeriodColumns = SetColumns & { readonly year: number; readonly number: number };

type PublishedColumns = PeriodColumns &
  FileColumns & { readonly revision: number; readonly data_points: number; readonly digest: string };

export interface Tables {
  rank_statistics: Pick<Manifest, 'id' | 'version'> & {
    readonly computed_at: Date | null;
    readonly total_data_points: number;
    readonly storage: string | null;
  };
  rank_periods: PublishedColumns;
  kept_revisions: PublishedColumns & { readonly ended_at: Date; readonly reason: string };
  dictionary_deltas: FileColumns & {
    readonly marketplace: string;
    readonly kind: string;
    readonly sequence: number;
    readonly next_id: number;
  };
  snapshot_files: SetColumns & FileColumns & { readonly object: string | null };
  publications: PeriodColumns & {
    readonly id: number;
    readonly revision: number;
    readonly keywords: number;
    readonly manifest_version: number;
    readonly attempts: number;
    readonly next_attempt_at: number;
    readonly set_aside_at: number | null;
    readonly error: string | null;
  };
  subscriptions: { readonly organization_id: string; readonly plan: string; readonly status: string };
  tracked_keywords: {
    readonly id: string;
    readonly organization_id: string;
    readonly user_id: string;
    readonly position: number;
    readonly is_active: boolean;
    readonly normalized_term: string;
    readonly priority_value: number;
  };
  webhooks: {
    readonly id: string;
    readonly organization_id: string;
    readonly user_id: string;
    readonly url: string;
    readonly secret: Buffer;
    readonly events: readonly string[];
  };
  digests: Omit<PeriodColumns, 'source'> & {
    readonly organization_id: string;
    readonly user_id: string;
    readonly kind: string;
  };
  priority_hits: Omit<PeriodColumns, 'source'> & {
    readonly tracked_keyword_id: string;
    readonly organization_id: string;
  };
  usage_counts: { readonly organization_id: string; readonly count: number };
  webhook_deliveries: DeliveryRow;
}

export interface DeliveryRow {
  readonly id: string;
  readonly organization_id: string;
  readonly webhook_id: string;
  readonly event: string;
  readonly event_key: string;
  readonly payload: string;
  readonly status: string;
  readonly attempts: number;
  readonly next_attempt_at: number;
  readonly last_attempt_at: number | null;
  readonly response_status: number | null;
  readonly error: string | null;
  readonly recipient_key: null;
}

export type TableName = keyof Tables;
