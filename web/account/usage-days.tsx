import { useAnswer } from '../api/use-answer.ts';
import type { UsageDaysAnswer } from '../api/wire.ts';
import { formatDay, formatDayShort, formatNumber } from '../parts/format.ts';

const METERS = ['search', 'asin', 'exports', 'alerts'] as const;
const DAYS = 30;

/** One bar a day; each says its number to whoever points at it, and to screen readers the whole in a sentence. */
export function UsageDays() {
  const { answer } = useAnswer<UsageDaysAnswer>(`/v1/usage/days?days=${DAYS}`);
  if (!answer) return null;
  const days = answer.data.map((each) => ({
    day: each.day,
    count: METERS.reduce((sum, name) => sum + Number(each[name] ?? 0), 0),
  }));
  const most = days.reduce((best, each) => (each.count > best.count ? each : best), { day: '', count: 0 });
  const total = days.reduce((sum, { count }) => sum + count, 0);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Usage by day</h2>
        <span class="muted">
          {formatNumber(total)} in {DAYS} days
        </span>
      </header>
      <div
        role="img"
        aria-label={`Uses of all meters in the last ${DAYS} days: ${total}, at most ${most.count} in a day`}
      >
        <ul class="usage-days" role="presentation">
          {days.map(({ day, count }) => (
            <li key={day} title={`${formatDay(day)}: ${formatNumber(count)}`}>
              {count > 0 && <span style={{ height: `${(count / most.count) * 100}%` }} />}
            </li>
          ))}
        </ul>
      </div>
      <p class="usage-axis muted">
        <span>{formatDayShort(days[0]?.day ?? '')}</span>
        {most.count > 0 && (
          <span>
            most: {formatNumber(most.count)} on {formatDayShort(most.day)}
          </span>
        )}
        <span>{formatDayShort(days.at(-1)?.day ?? '')}</span>
      </p>
    </section>
  );
}
