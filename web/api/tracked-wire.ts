// What the API says about what its user watches.
import type { Frequency, Pagination } from './wire.ts';

export interface PriorityRule {
  readonly field: string;
  readonly operator: string;
  readonly value: number;
}

export interface TrackedKeyword {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly notes: string;
  readonly is_active: boolean;
  readonly priority_enabled: boolean;
  readonly priority_rule: PriorityRule;
  readonly search_term: { readonly id: number; readonly original_term: string };
  readonly snapshot: {
    readonly latest_period: string;
    readonly latest_rank: number | null;
    readonly previous_rank: number | null;
    readonly rank_change: number | null;
    readonly best_rank: number | null;
    readonly worst_rank: number | null;
    readonly avg_rank: number | null;
    readonly total_periods: number;
    readonly history: readonly { readonly period: string; readonly rank: number | null }[];
  };
}

export interface TrackedAnswer {
  readonly data: readonly TrackedKeyword[];
}

export interface DigestRow {
  readonly search_term: string;
  readonly rank: number | null;
  readonly previous_rank: number | null;
  readonly rank_change: number | null;
  readonly priority_hit: boolean;
}

export interface Digest {
  readonly id: string;
  readonly type: Frequency;
  readonly period: string;
  readonly created_at: string;
  readonly is_read: boolean;
  readonly rows: readonly DigestRow[];
}

export interface DigestsAnswer {
  readonly data: readonly Digest[];
  readonly pagination: Pagination;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly created_at: string;
  /** Null while messages are sent. */
  readonly paused_reason: 'operator' | 'no_key' | null;
}

export interface WebhooksAnswer {
  readonly data: readonly Webhook[];
}
