// One request after the other through the life of a user: what is tracked is told of when a month is published, what is
// searched stands in the history, and in the end everything is deleted.
import { expect } from 'vitest';
import type { RecordedAnswers } from '../../src/http/recorded-answers.ts';
import { untilTold } from '../support/publications.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';
import type { DemoWorld } from './demo-world.ts';
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
    const { answer, shown } = await recorder.ask(target, { key, ...options });
    expect([answer.status, answer.text.slice(0, 300)], target).toEqual([
      expect.toBeOneOf([200, 201]),
      expect.anything(),
    ]);
    successes[operation] = { ...successes[operation], [example]: shown };
    return answer.json;
  };
  const until = (path: string, isSettled: (data: Record<string, unknown>[]) => boolean) =>
    expect
      .poll(async () => isSettled((await world.service.request(path, { key })).json.data), { timeout: 60_000 })
      .toBe(true);

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
  await record('listDigests.unread', '/v1/tracked-keywords/digests?unread_only=true');
  await record('readAllDigests.one', '/v1/tracked-keywords/digests/read-all', { method: 'POST' });
  await record('listWebhooks.one', '/v1/webhooks');
  await record('listWebhookDeliveries.delivered', deliveries);

  const search = '/v1/search/keywords';
  const { data: found } = await record('searchKeywords.similar', `${search}?query=snow+boots&limit=2`);
  await record('searchKeywords.exact', `${search}?query=snow+boots&query=sandals&method=exact&type=weekly`);
  await record('searchKeywords.nothing', `${search}?query=qqqqqqqq`);
  const asin = found[0].latest_data.products[0].asin;
  await record('searchAsin.one', `/v1/search/asin?asin=${asin}&limit=1&type=weekly`);
  await record('getSearchKeyword.one', '/v1/search/keyword?term=snow+boots');
  await record('listSuggestions.three', '/v1/search/suggestions?query=snow+b&limit=3');
  await record('getSearchStats.all', '/v1/search/stats');
  for (const format of ['csv', 'ndjson'] as const) {
    await record(
      `exportKeywords.${format}`,
      `${search}/export?query=snow+boots&type=weekly&limit=2&file_format=${format}`,
    );
  }
  await record('listSocialMediaRanks.weekly', '/v1/trends/social-media-ranks?type=W&limit=2');
  await record('listRankChanges.up', '/v1/trends/change-by?direction=positive&max_rank=5000&limit=2');
  await record('listNewTerms.monthly', '/v1/trends/new?limit=3');
  await record('listPeriods.weekly', '/v1/periods?type=weekly');
  await record('getMeters.all', '/v1/meters');
  await record('getUsage.studio', '/v1/usage');

  const history = '/v1/search/history?limit=2';
  await until(history, (data) => data.every((entry) => entry.result_count !== null));
  await record('listSearchHistory.newest', history);
  await record('deleteSearchHistory.all', '/v1/search/history', { method: 'DELETE' });
  await record('deleteTrackedKeyword.one', item, { method: 'DELETE' });
  await record('deleteWebhook.one', `/v1/webhooks/${made.id}`, { method: 'DELETE' });
  return successes;
}
