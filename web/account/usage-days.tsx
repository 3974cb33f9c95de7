import { useAnswer } from '../api/use-answer.ts';
import type { UsageDaysAnswer } from '../api/wire.ts';
import { formatNumber } from '../parts/format.ts';

const METERS = ['search', 'asin', 'exports', 'alerts'] as const;
const DAYS = 30;
const WIDTH = 600;
const HEIGHT = 120;
const GAP = 3;

/** One bar a day; each says its number to whoever points at it, and to screen readers the whole in a sentence. */
export function UsageDays() {
  const { answer } = useAnswer<UsageDaysAnswer>(`/v1/usage/days?days=${DAYS}`);
  if (!answer) return null;
  const days = answer.data.map((each) => ({
    day: each.day,
    count: METERS.reduce((sum, name) => sum + Number(each[name] ?? 0), 0),
  }));
  const most = Math.max(1, ...days.map(({ count }) => count));
  const total = days.reduce((sum, { count }) => sum + count, 0);
  const step = WIDTH / days.length;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Usage by day</h2>
        <span class="muted">
          {formatNumber(total)} in {DAYS} days
        </span>
      </header>
      <svg
        class="usage-days"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Uses of all meters in the last ${DAYS} days: ${total}, at most ${most} in a day`}
      >
        {days.map(({ day, count }, i) => {
          const height = Math.max(count === 0 ? 1 : 3, (count / most) * (HEIGHT - 4));
          return (
            <rect
              key={day}
              x={i * step}
              y={HEIGHT - height}
              width={step - GAP}
              height={height}
              fill="var(--accent)"
              opacity={count === 0 ? 0.25 : 1}
            >
              <title>{`${day}: ${formatNumber(count)}`}</title>
            </rect>
          );
        })}
      </svg>
    </section>
  );
}
