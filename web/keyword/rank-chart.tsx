// The history of up to five keywords. The drawing library comes with the first chart, not with the page.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Frequency, PublishedPeriod } from '../api/wire.ts';
import { paintCount } from '../app/theme.ts';
import { formatNumber, formatPeriod } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { usePeriods } from '../parts/periods.ts';
import type { ComparedKeyword } from './compared-keywords.ts';
import type { ChartHandle } from './rank-plot.ts';
import { seriesVariable } from './series-colour.ts';

interface RankChartProps {
  readonly keywords: readonly ComparedKeyword[];
  readonly type: Frequency;
}

export function RankChart({ keywords, type }: RankChartProps) {
  const periods = usePeriods(type);
  const [hovered, setHovered] = useState<number | null>(null);
  const [isZoomed, setZoomed] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<ChartHandle | null>(null);
  const series = keywords.map(({ row }) => periods.map(({ period }) => row?.data[period] ?? null));
  const seriesKey = JSON.stringify([series, type, paintCount.value]);
  const hasRanks = series.some((ranks) => ranks.some((rank) => rank !== null));

  // The key stands for all that is drawn.
  useEffect(() => {
    const element = place.current;
    if (!element || periods.length === 0 || !hasRanks) return;
    let isCurrent = true;
    void import('./rank-plot.ts').then(({ openRankPlot }) => {
      if (!isCurrent) return;
      chart.current = openRankPlot(element, { periods, series, type, onHover: setHovered, onZoom: setZoomed });
    });
    return () => {
      isCurrent = false;
      chart.current?.close();
      chart.current = null;
    };
  }, [seriesKey]);

  if (periods.length > 0 && !hasRanks) {
    const other = type === 'monthly' ? 'weekly' : 'monthly';
    return (
      <p class="chart-empty muted">
        No {type} ranks in the periods of your plan. Look at the {other} ones.
      </p>
    );
  }
  return (
    <>
      <div class="chart-legend">
        <Readout keywords={keywords} series={series} periods={periods} type={type} at={hovered} />
        {isZoomed ? (
          <button type="button" class="button is-small" onClick={() => chart.current?.resetZoom()}>
            <Icon name="zoom" /> Whole history
          </button>
        ) : (
          <span class="chart-hint muted">drag to zoom</span>
        )}
      </div>
      <div class="chart" ref={place} aria-hidden="true" />
      <Numbers keywords={keywords} series={series} periods={periods} type={type} />
    </>
  );
}

interface ReadoutProps {
  readonly keywords: readonly ComparedKeyword[];
  readonly series: readonly (readonly (number | null)[])[];
  readonly periods: readonly PublishedPeriod[];
  readonly type: Frequency;
  readonly at: number | null;
}

/** The period under the pointer, or the newest one. */
function Readout({ keywords, series, periods, type, at }: ReadoutProps) {
  const index = at ?? periods.length - 1;
  const period = periods[index];
  return (
    <div class="readout">
      <span class="readout-period">{period ? formatPeriod(period.period, type) : ''}</span>
      {keywords.map(({ term, row }, i) => (
        <span key={term} class="readout-term">
          <Swatch index={i} />
          <span class="readout-name">{row?.search_term ?? term}</span>
          <b class="numbers">{formatRank(series[i]?.[index])}</b>
        </span>
      ))}
    </div>
  );
}

export function Swatch({ index }: { readonly index: number }) {
  return <span class="swatch" style={{ background: `var(${seriesVariable(index)})` }} aria-hidden="true" />;
}

/** The same as a table, for those who do not see the drawing or want the numbers. */
function Numbers({ keywords, series, periods, type }: Omit<ReadoutProps, 'at'>) {
  return (
    <details class="chart-numbers">
      <summary>The numbers</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable. */}
      <section class="scroll-box" tabIndex={0} aria-label="Ranks by period">
        <table>
          <thead>
            <tr>
              <th scope="col">Period</th>
              {keywords.map(({ term, row }) => (
                <th key={term} scope="col" class="is-right">
                  {row?.search_term ?? term}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {periods
              .map(({ period }, i) => (
                <tr key={period}>
                  <th scope="row">{formatPeriod(period, type)}</th>
                  {series.map((ranks, k) => (
                    <td key={keywords[k]?.term} class="is-right">
                      {formatRank(ranks[i])}
                    </td>
                  ))}
                </tr>
              ))
              .toReversed()}
          </tbody>
        </table>
      </section>
    </details>
  );
}

function formatRank(rank: number | null | undefined): string {
  return rank ? formatNumber(rank) : '–';
}
