// The bodies of webhook messages, in the form {type, timestamp, data} that Standard Webhooks recommends.
import type { PriorityHit } from './digest.ts';
import { periodKey } from './period.ts';
import type { PublishedNews } from './publication.ts';
import type { WebhookEvent } from './webhook.ts';

export function presentNews(news: PublishedNews) {
  return message('period.published', news, {
    marketplace: news.marketplace,
    source: news.source,
    type: news.period.frequency,
    period: periodKey(news.period),
    start_date: news.startDate,
    end_date: news.endDate,
    keywords: news.keywords,
    revision: news.revision,
  });
}

export function presentAlert({ keyword, snapshot }: PriorityHit, news: PublishedNews) {
  return message('tracked_keyword.priority_hit', news, {
    tracked_keyword_id: keyword.id,
    search_term: keyword.originalTerm,
    marketplace: news.marketplace,
    type: news.period.frequency,
    period: periodKey(news.period),
    priority_rule: keyword.priorityRule,
    latest_rank: snapshot.latestRank,
    previous_rank: snapshot.previousRank,
    rank_change: snapshot.rankChange,
    best_rank: snapshot.bestRank,
    worst_rank: snapshot.worstRank,
    avg_rank: snapshot.avgRank,
  });
}

function message<Data>(type: WebhookEvent, { publishedAt }: PublishedNews, data: Data) {
  return { type, timestamp: publishedAt.toISOString(), data };
}
