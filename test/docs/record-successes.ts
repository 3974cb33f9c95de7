// One request after the other through the life of a user: what is tracked is told of when a month is published, what is
// searched stands in the history, and in the end everything is deleted.
import { expect } from 'vitest';
import type { RecordedAnswers } from '../../src/http/recorded-answers.ts';
import { addAgent } from '../support/agents.ts';
import { untilTold } from '../support/publications.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';
import type { DemoWorld } from './demo-world.ts';
import { recordConnections } from './record-connections.ts';
import { recordImports } from './record-imports.ts';
import { recordPeople } from './record-people.ts';
import type { AskOptions, Recorder } from './recording.ts';

type Successes = RecordedAnswers['successes'];

export async function recordSuccesses(
  world: DemoWorld,
  {
    recorder,
    key,
    receiver,
  }: { readonly recorder: Recorder; readonly key: string; readonly receiver: WebhookReceiver },
): Promise<Successes> {
  const successes: Record<string, Record<string, Successes[string][string]>> = {};
  /** Records one example: `operation.name`. */
  const record = async (name: `${string}.${string}`, target: string, options: AskOptions = {}) => {
    const [operation = '', example = ''] = name.split('.');
    let asked = await recorder.ask(target, { key, ...options });
    // The place of an export is given back a moment after its last byte.
    while (asked.answer.status === 429) asked = await recorder.ask(target, { key, ...options });
    const { answer, shown } = asked;
    expect([answer.status, answer.text.slice(0, 300)], target).toEqual([
      expect.toBeOneOf([200, 201]),
      expect.anything(),
    ]);
    successes[operation] = { ...successes[operation], [example]: shown };
    return answer.json;
  };
  const until = (path: string, isSettled: (data: Record<string, unknown>[]) => boolean) =>
    expect.poll(async () => isSettled((await world.service.request(path, { key })).json.data)).toBe(true);

  const rule = { field: 'latest_rank', operator: 'lt', value: 1000 };
  const webhook = { url: `${receiver.url}/keyrank`, events: ['tracked_keyword.priority_hit'] };
  const { data: made } = await record('createWebhook.created', '/v1/webhooks', { method: 'POST', body: webhook });
  const boots = { search_term: 'snow boots', notes: 'winter campaign', priority_rule: rule };
  const { data: tracked } = await record('createTrackedKeywords.one', '/v1/tracked-keywords', {
    method: 'POST',
    body: boots,
  });
  await record('createTrackedKeywords.many', '/v1/tracked-keywords', {
    method: 'POST',
    headers: { 'idempotency-key': 'watchlist-2026-11' },
    body: { keywords: [{ search_term: 'snow boots' }, { search_term: 'hiking boots', notes: 'autumn' }] },
  });
  const products = '/v1/tracked-products';
  const { data: product } = await record('createTrackedProducts.one', products, {
    method: 'POST',
    body: { asin: 'B0DDBYMN4X', notes: 'a competitor' },
  });
  await record('createTrackedProducts.many', products, {
    method: 'POST',
    headers: { 'idempotency-key': 'products-2026-11' },
    body: { products: [{ asin: 'B0DDBYMN4X' }, { asin: 'B0CHX1W1XY', notes: 'ours' }] },
  });
  await world.publishNewestMonth();
  await untilTold(world.service.database);
  await receiver.untilReceived(1);
  const deliveries = `/v1/webhooks/${made.id}/deliveries`;
  await until(deliveries, (data) => data.every(({ status }) => status === 'delivered'));

  const item = `/v1/tracked-keywords/${tracked.id}`;
  await record('listTrackedKeywords.all', '/v1/tracked-keywords');
  await record('listTrackedKeywords.asOfAMonth', '/v1/tracked-keywords?query=hiking&period=03-2026');
  await record('getTrackedKeyword.one', item);
  await record('changeTrackedKeyword.paused', item, { method: 'PATCH', body: { is_active: false } });
  await record('listTrackedProducts.all', products);
  await record('getTrackedProduct.one', `${products}/${product.id}`);
  await record('changeTrackedProduct.paused', `${products}/${product.id}`, {
    method: 'PATCH',
    body: { is_active: false },
  });
  await record('changeNotifications.rule', '/v1/notifications', {
    method: 'PATCH',
    body: { default_priority_rule: { field: 'rank_change', operator: 'gte', value: 1000 } },
  });
  await record('getNotifications.one', '/v1/notifications');
  const channels = '/v1/notification-channels';
  const { data: channel } = await record('createNotificationChannel.slack', channels, {
    method: 'POST',
    body: { kind: 'slack', url: 'https://chat.example.com/hooks/EXAMPLE', events: ['alert'] },
  });
  await record('listNotificationChannels.all', channels);
  const ownChannel = `${channels}/${channel.id}`;
  await record('changeNotificationChannel.weekly', ownChannel, { method: 'PATCH', body: { frequency: 'weekly' } });
  await record('testNotificationChannel.queued', `${ownChannel}/test`, { method: 'POST' });
  await record('deleteNotificationChannel.one', ownChannel, { method: 'DELETE' });
  await record('listenToEvents.now', '/v1/events?seconds=0');
  const { data: list } = await record('createList.withRule', '/v1/lists', {
    method: 'POST',
    headers: { 'idempotency-key': 'list-2026-11' },
    body: { name: 'Winter boots', notes: 'for the monthly review', priority_rule: rule },
  });
  const ofList = `/v1/lists/${list.id}`;
  const items = [
    { search_term: 'snow boots', tags: ['winter', 'core'] },
    { asin: 'B0DDBYMN4X', notes: 'a competitor' },
  ];
  const { data: added } = await record('addListItems.two', `${ofList}/items`, { method: 'POST', body: { items } });
  await record('listLists.all', '/v1/lists');
  await record('getList.one', ofList);
  await record('changeList.noRule', ofList, { method: 'PATCH', body: { priority_rule: null } });
  await record('changeListItem.tags', `/v1/list-items/${added[0].id}`, { method: 'PATCH', body: { tags: ['core'] } });
  await record('listListItems.tagged', `${ofList}/items?tag=core`);
  await record('listTrackedKeywords.ofAList', `/v1/tracked-keywords?list=${list.id}&period=03-2026`);
  const { data: saved } = await record('createSavedSearch.one', '/v1/saved-searches', {
    method: 'POST',
    body: { name: 'Boots that sell', address: '/?query=snow+boots&max_rank=5000' },
  });
  const savedSearch = `/v1/saved-searches/${saved.id}`;
  await record('listSavedSearches.all', '/v1/saved-searches');
  await record('getSavedSearch.one', savedSearch);
  await record('changeSavedSearch.renamed', savedSearch, { method: 'PATCH', body: { name: 'Boots below 5,000' } });
  const { data: noted } = await record('createChartNote.ofAKeyword', '/v1/chart-notes', {
    method: 'POST',
    body: { date: '2026-09-01', note: 'new main image', search_term: 'snow boots' },
  });
  const chartNote = `/v1/chart-notes/${noted.id}`;
  await record('listChartNotes.ofAKeyword', '/v1/chart-notes?search_term=snow+boots&from=2026-01-01');
  await record('getChartNote.one', chartNote);
  await record('changeChartNote.onEveryChart', chartNote, { method: 'PATCH', body: { search_term: null } });
  const { data: shared, token } = await record('createShare.chart', '/v1/shares', {
    method: 'POST',
    body: { chart: { terms: ['snow boots', 'winter boots'] }, title: 'Boots', days: 7 },
  });
  await record('listShares.withItsToken', '/v1/shares', { key: token });
  await record('deleteShare.one', `/v1/shares/${shared.id}`, { method: 'DELETE' });
  const agentId = await addAgent(world.service, key);
  await record('listAgents.one', '/v1/agents');
  await record('deleteAgent.one', `/v1/agents/${agentId}`, { method: 'DELETE' });
  await record('listDigests.unread', '/v1/tracked-keywords/digests?unread_only=true');
  await record('readAllDigests.one', '/v1/tracked-keywords/digests/read-all', { method: 'POST' });
  await record('listWebhooks.one', '/v1/webhooks');
  await record('listWebhookDeliveries.delivered', deliveries);

  const search = '/v1/search/keywords';
  const { data: found } = await record('searchKeywords.similar', `${search}?query=snow+boots&limit=2`);
  await record('searchKeywords.exact', `${search}?query=snow+boots&query=sandals&method=exact&type=weekly`);
  const insights = `${search}?query=snow+boots&limit=1&compare_to=year_ago&include=insights&order_by=change`;
  await record('searchKeywords.insights', insights);
  await record('searchKeywords.nothing', `${search}?query=qqqqqqqq`);
  const asin = found[0].latest_data.products[0].asin;
  await record('searchAsin.one', `/v1/search/asin?asin=${asin}&limit=1&type=weekly`);
  await record('getSearchKeyword.one', '/v1/search/keyword?term=snow+boots');
  await record('getKeywordHistory.weekly', '/v1/search/keyword/history?term=snow+boots&type=weekly');
  const [first, second] = found[0].latest_data.products;
  const [brand] = found[0].latest_data.brands;
  await record('getProduct.weekly', `/v1/products/${first.asin}?type=weekly`);
  await record('listProductKeywords.all', `/v1/products/${first.asin}/keywords?status=all&limit=2`);
  await record('compareProducts.any', `/v1/products/compare?asin=${first.asin}&asin=${second.asin}&mode=any&limit=2`);
  await record('getBrand.weekly', `/v1/brands/${encodeURIComponent(brand)}?type=weekly`);
  await record('listBrandKeywords.longest', `/v1/brands/${encodeURIComponent(brand)}/keywords?order_by=since&limit=2`);
  await record('listSearchRoots.phrases', '/v1/search/roots?query=snow+boots&kind=phrase&limit=3');
  await record('listSuggestions.three', '/v1/search/suggestions?query=snow+b&limit=3');
  await record('getSearchStats.all', '/v1/search/stats');
  for (const format of ['csv', 'ndjson'] as const) {
    await record(
      `exportKeywords.${format}`,
      `${search}/export?query=snow+boots&type=weekly&limit=2&file_format=${format}`,
    );
  }
  await record(
    'exportKeywords.insights',
    `${search}/export?query=snow+boots&type=weekly&limit=1&include=insights&file_format=csv`,
  );
  await record('listSocialMediaRanks.weekly', '/v1/trends/social-media-ranks?type=W&limit=2');
  await record('listRankChanges.up', '/v1/trends/change-by?direction=positive&max_rank=5000&limit=2');
  const within = 'compare_to=09-2025&period=03-2026';
  await record('listRankChanges.twoPeriods', `/v1/trends/change-by?${within}&query=snow+boots&limit=2`);
  await record('listNewTerms.monthly', '/v1/trends/new?limit=3');
  await record('listSeasonalTerms.soon', '/v1/trends/seasonal?within_weeks=8&limit=3');
  const ofBoots = 'query=snow+boots&order_by=current_rank&order_direction=ASC&limit=1';
  await record('listSeasonalTerms.words', `/v1/trends/seasonal?${ofBoots}`);
  for (const format of ['csv', 'ndjson'] as const) {
    const file = `file_format=${format}`;
    await record(`exportSocialMediaRanks.${format}`, `/v1/trends/social-media-ranks/export?type=W&limit=2&${file}`);
    const changes = `/v1/trends/change-by/export?${within}&query=snow+boots&limit=2&${file}`;
    await record(`exportRankChanges.${format}`, changes);
    await record(`exportNewTerms.${format}`, `/v1/trends/new/export?limit=3&${file}`);
    await record(`exportTrackedKeywords.${format}`, `/v1/tracked-keywords/export?${file}`);
    const history = '/v1/search/keyword/history/export?term=snow+boots&term=sandals&type=weekly&limit=2';
    await record(`exportKeywordHistory.${format}`, `${history}&${file}`);
    await record(`exportTrackedProducts.${format}`, `${products}/export?${file}`);
    await record(`exportList.${format}`, `${ofList}/export?${file}`);
    await record(`exportSeasonalTerms.${format}`, `/v1/trends/seasonal/export?${ofBoots}&${file}`);
    await record(`exportProductKeywords.${format}`, `/v1/products/${first.asin}/keywords/export?limit=2&${file}`);
    const roots = '/v1/search/roots/export?query=snow+boots&kind=phrase&limit=3';
    await record(`exportSearchRoots.${format}`, `${roots}&${file}`);
    await record(`exportProduct.${format}`, `/v1/products/${first.asin}/export?type=weekly&limit=2&${file}`);
    await record(`exportBrand.${format}`, `/v1/brands/${encodeURIComponent(brand)}/export?type=weekly&limit=2&${file}`);
    const compared = `asin=${first.asin}&asin=${second.asin}&mode=any&limit=2`;
    await record(`exportProductComparison.${format}`, `/v1/products/compare/export?${compared}&${file}`);
    const ofBrand = `/v1/brands/${encodeURIComponent(brand)}/keywords/export?limit=2`;
    await record(`exportBrandKeywords.${format}`, `${ofBrand}&${file}`);
  }
  await record('listPeriods.weekly', '/v1/periods?type=weekly');
  await record('getPeriodCalendar.year', '/v1/periods/calendar?year=2024');
  await record('getMeters.all', '/v1/meters');
  await record('getUsage.studio', '/v1/usage');

  const history = '/v1/search/history?limit=2';
  await until(history, (data) => data.every((entry) => entry.result_count !== null));
  await record('listSearchHistory.newest', history);
  await record('deleteSearchHistory.all', '/v1/search/history', { method: 'DELETE' });
  await record('deleteTrackedKeyword.one', item, { method: 'DELETE' });
  await record('deleteTrackedProduct.one', `${products}/${product.id}`, { method: 'DELETE' });
  const removed = { ids: added.map((item: { id: string }) => item.id) };
  const tagged = { ...removed, add: ['winter'] };
  await record('tagListItems.add', `${ofList}/items/tag`, { method: 'POST', body: tagged });
  const again = { ...removed, add: ['core'], remove: ['winter'] };
  await record('tagListItems.replace', `${ofList}/items/tag`, { method: 'POST', body: again });
  await record('removeListItems.two', `${ofList}/items/remove`, { method: 'POST', body: removed });
  await record('deleteList.one', ofList, { method: 'DELETE' });
  await record('deleteSavedSearch.one', savedSearch, { method: 'DELETE' });
  await record('deleteChartNote.one', chartNote, { method: 'DELETE' });
  await record('testWebhook.queued', `/v1/webhooks/${made.id}/test`, { method: 'POST' });
  await recordPeople(world, record);
  await record('deleteWebhook.one', `/v1/webhooks/${made.id}`, { method: 'DELETE' });
  await recordConnections(world.service, record);
  await recordImports(world.service, record);
  return successes;
}
