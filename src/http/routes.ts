import type { Endpoint } from './endpoint.ts';
import { changePassword, getAccount, leaveOrganization, switchOrganization } from './v1/account.ts';
import { listAgents } from './v1/agents.ts';
import { deleteAgent } from './v1/agents-id.ts';
import { listAuditLog } from './v1/audit-log.ts';
import { getBrand } from './v1/brands-name.ts';
import { exportBrand } from './v1/brands-name-export.ts';
import { listBrandKeywords } from './v1/brands-name-keywords.ts';
import { exportBrandKeywords } from './v1/brands-name-keywords-export.ts';
import { createChartNote, listChartNotes } from './v1/chart-notes.ts';
import { changeChartNote, deleteChartNote, getChartNote } from './v1/chart-notes-id.ts';
import { createConnection, listConnections } from './v1/connections.ts';
import {
  changeConnection,
  deleteConnection,
  listConnectionDownloads,
  retryConnection,
  rotateConnection,
  testConnection,
} from './v1/connections-id.ts';
import { listenToEvents } from './v1/events.ts';
import { createImport, listImports } from './v1/imports.ts';
import { cancelImport, changeImport, getImport } from './v1/imports-id.ts';
import { sendImportPart } from './v1/imports-id-content.ts';
import { publishImport } from './v1/imports-id-publish.ts';
import { downloadImportRejects } from './v1/imports-id-rejects.ts';
import { undoImport } from './v1/imports-id-undo.ts';
import { createInvitation, deleteInvitation, listInvitations } from './v1/invitations.ts';
import { createKey, disableKey, listKeys, rotateKey } from './v1/keys.ts';
import { changeListItem } from './v1/list-items-id.ts';
import { createList, listLists } from './v1/lists.ts';
import { changeList, deleteList, getList } from './v1/lists-id.ts';
import { exportList } from './v1/lists-id-export.ts';
import { addListItems, listListItems, removeListItems, tagListItems } from './v1/lists-id-items.ts';
import { changeMember, listMembers, removeMember } from './v1/members.ts';
import { getMeters } from './v1/meters.ts';
import { createNotificationChannel, listNotificationChannels } from './v1/notification-channels.ts';
import {
  changeNotificationChannel,
  deleteNotificationChannel,
  testNotificationChannel,
} from './v1/notification-channels-id.ts';
import { changeNotifications, getNotifications } from './v1/notifications.ts';
import { changeOrganization, createOrganization, listOrganizations } from './v1/organizations.ts';
import { listPeriods } from './v1/periods.ts';
import { getPeriodCalendar } from './v1/periods-calendar.ts';
import { getProduct } from './v1/products-asin.ts';
import { exportProduct } from './v1/products-asin-export.ts';
import { listProductKeywords } from './v1/products-asin-keywords.ts';
import { exportProductKeywords } from './v1/products-asin-keywords-export.ts';
import { compareProducts } from './v1/products-compare.ts';
import { exportProductComparison } from './v1/products-compare-export.ts';
import { createSavedSearch, listSavedSearches } from './v1/saved-searches.ts';
import { changeSavedSearch, deleteSavedSearch, getSavedSearch } from './v1/saved-searches-id.ts';
import { searchAsin } from './v1/search-asin.ts';
import { deleteSearchHistory, listSearchHistory } from './v1/search-history.ts';
import { getSearchKeyword } from './v1/search-keyword.ts';
import { getKeywordHistory } from './v1/search-keyword-history.ts';
import { exportKeywordHistory } from './v1/search-keyword-history-export.ts';
import { searchKeywords } from './v1/search-keywords.ts';
import { exportKeywords } from './v1/search-keywords-export.ts';
import { listSearchRoots } from './v1/search-roots.ts';
import { exportSearchRoots } from './v1/search-roots-export.ts';
import { getSearchStats } from './v1/search-stats.ts';
import { listSuggestions } from './v1/search-suggestions.ts';
import { endOtherSessions, endSession, listSessions } from './v1/sessions.ts';
import { createShare, listShares } from './v1/shares.ts';
import { deleteShare } from './v1/shares-id.ts';
import {
  getSignInWays,
  readSignInLink,
  requestSignInLink,
  signInWithLink,
  signInWithPassword,
  signOut,
} from './v1/sign-in.ts';
import { acceptInvitation, readInvitation } from './v1/sign-in-invitations.ts';
import { createTrackedKeywords, listTrackedKeywords } from './v1/tracked-keywords.ts';
import { listDigests } from './v1/tracked-keywords-digests.ts';
import { readAllDigests } from './v1/tracked-keywords-digests-read-all.ts';
import { exportTrackedKeywords } from './v1/tracked-keywords-export.ts';
import { changeTrackedKeyword, deleteTrackedKeyword, getTrackedKeyword } from './v1/tracked-keywords-id.ts';
import { createTrackedProducts, listTrackedProducts } from './v1/tracked-products.ts';
import { exportTrackedProducts } from './v1/tracked-products-export.ts';
import { changeTrackedProduct, deleteTrackedProduct, getTrackedProduct } from './v1/tracked-products-id.ts';
import { listRankChanges } from './v1/trends-change-by.ts';
import { exportRankChanges } from './v1/trends-change-by-export.ts';
import { listNewTerms } from './v1/trends-new.ts';
import { exportNewTerms } from './v1/trends-new-export.ts';
import { listSeasonalTerms } from './v1/trends-seasonal.ts';
import { exportSeasonalTerms } from './v1/trends-seasonal-export.ts';
import { listSocialMediaRanks } from './v1/trends-social-media-ranks.ts';
import { exportSocialMediaRanks } from './v1/trends-social-media-ranks-export.ts';
import { getUsage } from './v1/usage.ts';
import { listUsageDays } from './v1/usage-days.ts';
import { createWebhook, listWebhooks } from './v1/webhooks.ts';
import { deleteWebhook } from './v1/webhooks-id.ts';
import { listDeliveries } from './v1/webhooks-id-deliveries.ts';
import { testWebhook } from './v1/webhooks-id-test.ts';

/** Every endpoint, in the order of the reference. Nothing is served, documented or tested that is not in this list. */
export const ENDPOINTS: readonly Endpoint[] = [
  searchKeywords,
  exportKeywords,
  searchAsin,
  getSearchKeyword,
  getKeywordHistory,
  exportKeywordHistory,
  listSearchRoots,
  exportSearchRoots,
  listSuggestions,
  getSearchStats,
  listSearchHistory,
  deleteSearchHistory,
  getProduct,
  exportProduct,
  listProductKeywords,
  exportProductKeywords,
  compareProducts,
  exportProductComparison,
  getBrand,
  exportBrand,
  listBrandKeywords,
  exportBrandKeywords,
  listSocialMediaRanks,
  exportSocialMediaRanks,
  listRankChanges,
  exportRankChanges,
  listNewTerms,
  exportNewTerms,
  listSeasonalTerms,
  exportSeasonalTerms,
  listTrackedKeywords,
  exportTrackedKeywords,
  createTrackedKeywords,
  getTrackedKeyword,
  changeTrackedKeyword,
  deleteTrackedKeyword,
  listTrackedProducts,
  exportTrackedProducts,
  createTrackedProducts,
  getTrackedProduct,
  changeTrackedProduct,
  deleteTrackedProduct,
  listLists,
  createList,
  getList,
  changeList,
  deleteList,
  listListItems,
  addListItems,
  removeListItems,
  tagListItems,
  changeListItem,
  exportList,
  listSavedSearches,
  createSavedSearch,
  getSavedSearch,
  changeSavedSearch,
  deleteSavedSearch,
  listChartNotes,
  createChartNote,
  getChartNote,
  changeChartNote,
  deleteChartNote,
  listShares,
  createShare,
  deleteShare,
  listDigests,
  readAllDigests,
  listWebhooks,
  createWebhook,
  deleteWebhook,
  listDeliveries,
  testWebhook,
  listAgents,
  deleteAgent,
  getNotifications,
  changeNotifications,
  listNotificationChannels,
  createNotificationChannel,
  changeNotificationChannel,
  deleteNotificationChannel,
  testNotificationChannel,
  listenToEvents,
  listPeriods,
  getPeriodCalendar,
  listImports,
  createImport,
  getImport,
  sendImportPart,
  changeImport,
  publishImport,
  cancelImport,
  undoImport,
  downloadImportRejects,
  listConnections,
  createConnection,
  changeConnection,
  deleteConnection,
  testConnection,
  rotateConnection,
  retryConnection,
  listConnectionDownloads,
  getMeters,
  getUsage,
  listUsageDays,
  getAccount,
  changePassword,
  switchOrganization,
  leaveOrganization,
  listSessions,
  endOtherSessions,
  endSession,
  getSignInWays,
  signInWithPassword,
  requestSignInLink,
  readSignInLink,
  signInWithLink,
  readInvitation,
  acceptInvitation,
  signOut,
  listMembers,
  changeMember,
  removeMember,
  listInvitations,
  createInvitation,
  deleteInvitation,
  listKeys,
  createKey,
  disableKey,
  rotateKey,
  listAuditLog,
  listOrganizations,
  createOrganization,
  changeOrganization,
];
