import { useAnswer } from '../api/use-answer.ts';
import type { UsageDaysAnswer } from '../api/wire.ts';
import { formatDay, formatNumber } from '../parts/format.ts';
import { Skeleton } from '../parts/notices.tsx';
import { explain } from '../tracked/tracked-terms.ts';

const METERS = [
  { name: 'search', text: 'Keyword searches', color: 'var(--series-1)' },
  { name: 'asin', text: 'ASIN searches', color: 'var(--series-3)' },
  { name: 'exports', text: 'Exports', color: 'var(--series-2)' },
  { name: 'alerts', text: 'Alerts', color: 'var(--series-4)' },
] as const;
const DAYS = 30;
const WIDTH = 600;
const HEIGHT = 120;
const GAP = 3;
/** A day with one use among days with thousands is seen too. */
const LEAST = 2;

type Day = UsageDaysAnswer['data'][number];

/** A bar for each day, of its meters on top of each other; the same numbers are a table for those who hear the page. */
export function UsageDays() {
  const { answer, failure } = useAnswer<UsageDaysAnswer>(`/v1/usage/days?days=${DAYS}`);
  const days = answer?.data ?? [];
  const total = days.reduce((sum, day) => sum + sumOf(day), 0);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Usage by day</h2>
        {answer && (
          <span class="muted">
            {formatNumber(total)} in {DAYS} days
          </span>
        )}
      </header>
      {failure && <p class="fault">{explain(failure)}</p>}
      {!answer && !failure && <Skeleton rows={1} height={HEIGHT} />}
      {answer && (
        <>
          <UsageChart days={days} />
          <UsageTable days={days} />
        </>
      )}
    </section>
  );
}

function UsageChart({ days }: { readonly days: readonly Day[] }) {
  const most = Math.max(0, ...days.map(sumOf));
  const step = WIDTH / Math.max(1, days.length);
  const [first, last] = [days[0], days.at(-1)];
  return (
    <>
      <p class="usage-legend" aria-hidden="true">
        {METERS.map(({ name, text, color }) => (
          <span key={name}>
            <span class="key-dot" style={{ background: color }} />
            {text}
          </span>
        ))}
        {most > 0 && <span class="usage-most muted numbers">most: {formatNumber(most)}</span>}
      </p>
      <svg
        class="usage-days"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Uses of all meters in the last ${days.length} days, at most ${formatNumber(most)} in a day`}
      >
        {days.map((day, i) => (
          <g key={day.day}>
            <title>{describe(day)}</title>
            <rect x={i * step} y={0} width={step} height={HEIGHT} fill="transparent" />
            <UsageBar day={day} x={i * step} width={step - GAP} most={most} />
          </g>
        ))}
      </svg>
      {first && last && (
        <p class="usage-axis muted" aria-hidden="true">
          <span>{formatDay(first.day)}</span>
          <span>{formatDay(last.day)}</span>
        </p>
      )}
    </>
  );
}

interface UsageBarProps {
  readonly day: Day;
  readonly x: number;
  readonly width: number;
  readonly most: number;
}

function UsageBar({ day, x, width, most }: UsageBarProps) {
  if (sumOf(day) === 0) return <rect x={x} y={HEIGHT - 1} width={width} height={1} fill="var(--line-strong)" />;
  let bottom = HEIGHT;
  return METERS.filter(({ name }) => day[name] > 0).map(({ name, color }) => {
    const height = Math.max(LEAST, (day[name] / most) * (HEIGHT - METERS.length * LEAST));
    bottom -= height;
    return <rect key={name} x={x} y={bottom} width={width} height={height} fill={color} />;
  });
}

function UsageTable({ days }: { readonly days: readonly Day[] }) {
  return (
    <div class="spoken">
      <table>
        <caption>Usage by day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {METERS.map(({ name, text }) => (
              <th key={name} scope="col">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.day}>
              <th scope="row">{formatDay(day.day)}</th>
              {METERS.map(({ name }) => (
                <td key={name}>{formatNumber(day[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function sumOf(day: Day): number {
  return METERS.reduce((sum, { name }) => sum + day[name], 0);
}

function describe(day: Day): string {
  const parts = METERS.filter(({ name }) => day[name] > 0).map(
    ({ name, text }) => `${formatNumber(day[name])} ${text}`,
  );
  return `${formatDay(day.day)}: ${parts.join(', ') || 'nothing'}`;
}
