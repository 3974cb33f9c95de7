// The worked example of docs/numbers.md against the answers that a real service gave, and against its own arithmetic.
import { describe, expect, it } from 'vitest';
import { parseTrigrams, similarity } from '../../src/domain/similarity.ts';
import { readRecordedAnswers } from '../../src/http/recorded-answers.ts';
import { readDocument } from './markdown.ts';

interface Keyword {
  readonly search_term: string;
  readonly data: Readonly<Record<string, number>>;
  readonly summary: Readonly<Record<string, number | string>>;
}

const page = readDocument('docs/numbers.md');
const { successes } = readRecordedAnswers();

function answerOf<T>(operation: string, example: string): T {
  return successes[operation]?.[example]?.body as T;
}

describe('docs/numbers.md', () => {
  const { data } = answerOf<{ data: readonly Keyword[] }>('searchKeywords', 'similar');
  const keyword = data[0] ?? { search_term: '', data: {}, summary: {} };
  const shown = new Map(
    [...page.matchAll(/(\d\d-\d{4}) \| (\d+)/g)].map(([, period = '', rank]) => [period, Number(rank)]),
  );

  it('shows the ranks of the demo data', () => {
    expect(keyword.search_term).toBe('snow boots');
    expect(shown).toEqual(new Map(Object.entries(keyword.data)));
  });

  it('computes the summary that the service answered', () => {
    // The page has columns; the answer runs from the oldest month to the newest.
    const ranks = Object.keys(keyword.data).map((period) => shown.get(period) ?? 0);
    const sum = ranks.reduce((total, rank) => total + rank, 0);
    expect(keyword.summary).toEqual({
      total_periods: ranks.length,
      best_rank: Math.min(...ranks),
      worst_rank: Math.max(...ranks),
      avg_rank: Math.round((sum * 100) / ranks.length) / 100,
      latest_rank: ranks.at(-1),
      latest_period: Object.keys(keyword.data).at(-1),
    });
    const [previous = 0, latest = 0] = ranks.slice(-2);
    const onPro = ranks.slice(-24).reduce((total, rank) => total + rank, 0);
    const statements = [
      `Their sum is ${sum.toLocaleString('en-US')}, so \`avg_rank\``,
      `rounded ${keyword.summary.avg_rank}`,
      `\`best_rank\` ${keyword.summary.best_rank},`,
      `\`worst_rank\` ${keyword.summary.worst_rank}, \`latest_rank\` ${latest} in \`latest_period\` ${keyword.summary.latest_period}`,
      `from ${previous} to ${latest}: \`rank_change\` ${previous - latest} (up)`,
      `= ${((100 * (previous - latest)) / previous).toFixed(2)}.`,
      `\`avg_rank\` ${onPro.toLocaleString('en-US')} / 24 = ${onPro / 24}.`,
    ];
    const text = page.replaceAll('\n', ' ');
    for (const statement of statements) expect(text).toContain(statement);
  });

  it('computes the season that the service answered', () => {
    const answer = answerOf<{ data: readonly object[] }>('listSeasonalTerms', 'words');
    const years = Object.values(keyword.data).slice(-24);
    const sorted = years.toSorted((a, b) => a - b);
    const [low = 0, high = 0] = sorted.slice(11, 13);
    const novembers = [keyword.data['11-2024'] ?? 0, keyword.data['11-2025'] ?? 0];
    const peak = ((novembers[0] ?? 0) + (novembers[1] ?? 0)) / 2;
    const strength = Math.round((100 * (low + high)) / 2 / peak) / 100;
    expect(answer.data).toEqual([
      {
        query: 'snow boots',
        current_rank: 259,
        peak_month: 11,
        strength,
        weeks_until_peak: 0,
        full_years: 2,
      },
    ]);
    const text = page.replaceAll('\n', ' ');
    expect(text).toContain(`(${novembers[1]} + ${novembers[0]}) / 2 = ${peak}`);
    expect(text).toContain(`(${low} + ${high}) / 2 = ${(low + high) / 2}`);
    expect(text).toContain(`\`strength\` ${(low + high) / 2} / ${peak} = ${strength}`);
  });

  it('says the same of a tracked keyword', () => {
    const { data: tracked } = answerOf<{ data: { snapshot: object } }>('getTrackedKeyword', 'one');
    expect(tracked.snapshot).toMatchObject({
      latest_rank: 259,
      previous_rank: 524,
      rank_change: 265,
      avg_rank: 479.12,
    });
  });

  it('gives the similarity of its example', () => {
    expect([...parseTrigrams('boots')].map((trigram) => trigram.replaceAll(' ', '␣'))).toEqual(
      [...(/`boots` has (.*?)\. `snow/s.exec(page)?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, trigram]) => trigram),
    );
    const value = similarity(parseTrigrams('snow boots'), parseTrigrams('boots'));
    expect(page).toContain(`6 / 11 = ${value.toFixed(7)}`);
  });
});
