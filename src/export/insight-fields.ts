import type { Insights } from '../domain/insights.ts';
import { type Period, periodKey } from '../domain/period.ts';

/** On the wire; the columns of an export are these fields in this order. */
export function presentInsights(insights: Insights) {
  const keyOf = (period: Period | null) => period && periodKey(period);
  return {
    from_period: keyOf(insights.fromPeriod),
    to_period: keyOf(insights.toPeriod),
    from_rank: insights.fromRank,
    to_rank: insights.toRank,
    change: insights.change,
    change_percentage: insights.changePercentage,
    year_change: insights.yearChange,
    click_concentration: insights.clickConcentration,
    conversion_concentration: insights.conversionConcentration,
    conversion_to_click: insights.conversionToClick,
    title_gap: insights.titleGap,
    first_seen: keyOf(insights.firstSeen),
    streak: insights.streak,
  };
}
