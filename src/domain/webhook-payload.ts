// The bodies of webhook messages, in the form {type, timestamp, data} that Standard Webhooks recommends.
import type { PriorityHit } from './digest.ts';
import type { LatePeriod } from './download-schedule.ts';
import { periodDates, periodKey } from './period.ts';
import type { PublishedNews } from './publication.ts';
import type { ChangedKeyword, TrackedProductNews } from './tracked-product.ts';
import { type SentEvent, TEST_EVENT } from './webhook.ts';

export function presentNews(news: PublishedNews) {
  return message('period.published', news.publishedAt, {
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

export function presentAlert({ keyword, rule, snapshot }: PriorityHit, news: PublishedNews) {
  return message('tracked_keyword.priority_hit', news.publishedAt, {
    tracked_keyword_id: keyword.id,
    search_term: keyword.originalTerm,
    marketplace: news.marketplace,
    type: news.period.frequency,
    period: periodKey(news.period),
    priority_rule: rule,
    latest_rank: snapshot.latestRank,
    previous_rank: snapshot.previousRank,
    rank_change: snapshot.rankChange,
    best_rank: snapshot.bestRank,
    worst_rank: snapshot.worstRank,
    avg_rank: snapshot.avgRank,
  });
}

export function presentProductChange({ product, changes }: TrackedProductNews, news: PublishedNews) {
  return message('tracked_product.changed', news.publishedAt, {
    tracked_product_id: product.id,
    asin: product.asin,
    title: changes.title,
    marketplace: news.marketplace,
    type: news.period.frequency,
    period: periodKey(news.period),
    keywords: changes.keywords,
    previous_keywords: changes.previousKeywords,
    ...changes.counts,
    rows: changes.rows.map(presentChangedKeyword),
  });
}

/** As in a digest. */
export function presentChangedKeyword({ change, searchTerm, rank, place, previousPlace }: ChangedKeyword) {
  return { change, search_term: searchTerm, rank, place, previous_place: previousPlace };
}

/** A period that should have come by now. */
export function presentLate({ marketplace, period, expectedAt }: LatePeriod, noticedAt: Date) {
  const { start, end } = periodDates(period);
  return message('data.late', noticedAt, {
    marketplace,
    source: 'search',
    type: period.frequency,
    period: periodKey(period),
    start_date: start,
    end_date: end,
    expected_at: expectedAt.toISOString(),
  });
}

/** To try a webhook out with. */
export function presentTest(at: Date) {
  return message(TEST_EVENT, at, { message: 'It works.' });
}

function message<Data>(type: SentEvent, at: Date, data: Data) {
  return { type, timestamp: at.toISOString(), data };
}
