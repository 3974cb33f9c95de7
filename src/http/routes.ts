import type { Endpoint } from './endpoint.ts';
import { getMeters } from './v1/meters.ts';
import { listPeriods } from './v1/periods.ts';
import { searchAsin } from './v1/search-asin.ts';
import { deleteSearchHistory, listSearchHistory } from './v1/search-history.ts';
import { getSearchKeyword } from './v1/search-keyword.ts';
import { searchKeywords } from './v1/search-keywords.ts';
import { exportKeywords } from './v1/search-keywords-export.ts';
import { getSearchStats } from './v1/search-stats.ts';
import { listSuggestions } from './v1/search-suggestions.ts';
import { createTrackedKeywords, listTrackedKeywords } from './v1/tracked-keywords.ts';
import { listDigests } from './v1/tracked-keywords-digests.ts';
import { readAllDigests } from './v1/tracked-keywords-digests-read-all.ts';
import { changeTrackedKeyword, deleteTrackedKeyword, getTrackedKeyword } from './v1/tracked-keywords-id.ts';
import { listRankChanges } from './v1/trends-change-by.ts';
import { listNewTerms } from './v1/trends-new.ts';
import { listSocialMediaRanks } from './v1/trends-social-media-ranks.ts';
import { getUsage } from './v1/usage.ts';
import { createWebhook, listWebhooks } from './v1/webhooks.ts';
import { deleteWebhook } from './v1/webhooks-id.ts';
import { listDeliveries } from './v1/webhooks-id-deliveries.ts';

/** Every endpoint, in the order of the reference. Nothing is served, documented or tested that is not in this list. */
export const ENDPOINTS: readonly Endpoint[] = [
  searchKeywords,
  exportKeywords,
  searchAsin,
  getSearchKeyword,
  listSuggestions,
  getSearchStats,
  listSearchHistory,
  deleteSearchHistory,
  listSocialMediaRanks,
  listRankChanges,
  listNewTerms,
  listTrackedKeywords,
  createTrackedKeywords,
  getTrackedKeyword,
  changeTrackedKeyword,
  deleteTrackedKeyword,
  listDigests,
  readAllDigests,
  listWebhooks,
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listPeriods,
  getMeters,
  getUsage,
];
