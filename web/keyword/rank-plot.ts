// uPlot set up for ranks: logarithmic, rank 1 on top, one point per period, gaps where there is no rank.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Frequency, PublishedPeriod } from '../api/wire.ts';
import { formatPeriod, formatShort } from '../parts/format.ts';
import { computedColour, SERIES_DASHES, seriesVariable } from './series-colour.ts';

const HEIGHT_PX = 340;
const NARROW_HEIGHT_PX = 260;
const NARROW_PX = 560;
const LABEL_PX = 84;

interface RankPlotOptions {
  readonly periods: readonly PublishedPeriod[];
  /** One list per keyword, one rank per period. */
  readonly series: readonly (readonly (number | null)[])[];
  readonly type: Frequency;
  readonly onHover: (index: number | null) => void;
  readonly onZoom: (isZoomed: boolean) => void;
}

export interface ChartHandle {
  readonly resetZoom: () => void;
  readonly close: () => void;
}

export function openRankPlot(element: HTMLElement, options: RankPlotOptions): ChartHandle {
  const { periods, series, onHover, onZoom } = options;
  const last = Math.max(1, periods.length - 1);
  const plot = new uPlot(
    {
      ...sizeOf(element),
      padding: [12, 30, 0, 0],
      legend: { show: false },
      cursor: { points: { size: 8 }, y: false, drag: { x: true, y: false, setScale: true } },
      scales: { x: { time: false, range: (_plot, min, max) => [min, Math.max(max, min + 1)] }, y: rankScale(series) },
      axes: axesOf(options),
      series: [{}, ...series.map((_, i) => seriesOf(i, periods.length))],
      hooks: {
        setCursor: [({ cursor }) => onHover(cursor.idx ?? null)],
        setScale: [
          ({ scales }, name) => name === 'x' && onZoom((scales.x?.min ?? 0) > 0 || (scales.x?.max ?? last) < last),
        ],
      },
    },
    [periods.map((_, i) => i), ...series.map((ranks) => [...ranks])],
    element,
  );
  const watcher = new ResizeObserver(() => plot.setSize(sizeOf(element)));
  watcher.observe(element);
  return {
    resetZoom: () => plot.setScale('x', { min: 0, max: last }),
    close: () => {
      watcher.disconnect();
      plot.destroy();
    },
  };
}

function sizeOf(element: HTMLElement): { readonly width: number; readonly height: number } {
  const width = Math.max(240, element.clientWidth);
  return { width, height: width < NARROW_PX ? NARROW_HEIGHT_PX : HEIGHT_PX };
}

/** From the best to the worst rank in sight, with a little room, upside down. */
function rankScale(series: RankPlotOptions['series']): uPlot.Scale {
  const ranks = series.flat().filter((rank): rank is number => rank !== null);
  const [best, worst] = [Math.min(...ranks), Math.max(...ranks)];
  const room = Math.max(1.15, (worst / best) ** 0.08);
  return { distr: 3, log: 10, dir: -1, range: () => [Math.max(0.85, best / room), worst * room] };
}

function axesOf({ periods, type }: RankPlotOptions): uPlot.Axis[] {
  const [ink, line] = [computedColour('--muted'), computedColour('--line')];
  const look = {
    stroke: ink,
    font: '12px system-ui, sans-serif',
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  };
  return [
    {
      ...look,
      grid: { show: false },
      space: LABEL_PX,
      size: 34,
      incrs: [1, 2, 3, 6, 12],
      values: (_plot, at) => at.map((index) => labelOf(periods[index]?.period, type)),
    },
    {
      ...look,
      size: 52,
      // Its own would leave out all but the powers of ten.
      filter: (_plot, ranks) => ranks,
      splits: (_plot, _axis, min, max) => splitsBetween(min, max),
      values: (_plot, ranks) => ranks.map((rank) => formatShort(rank)),
    },
  ];
}

function labelOf(period: string | undefined, type: Frequency): string {
  return period === undefined ? '' : formatPeriod(period, type);
}

/** Round ranks: 1, 10, 100 …, with 2 and 5 between them where there is room. */
function splitsBetween(min: number, max: number): number[] {
  const decades = Math.log10(max / min);
  const steps = decades > 3 ? [1] : decades > 1.2 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
  const splits: number[] = [];
  for (let decade = 10 ** Math.floor(Math.log10(Math.max(1, min))); decade <= max; decade *= 10) {
    for (const step of steps) {
      const rank = Math.round(decade * step);
      if (rank >= min && rank <= max && rank >= 1) splits.push(rank);
    }
  }
  return [...new Set(splits)];
}

function seriesOf(index: number, pointCount: number): uPlot.Series {
  const colour = computedColour(seriesVariable(index));
  return {
    stroke: colour,
    width: 2,
    dash: [...(SERIES_DASHES[index] ?? [])],
    spanGaps: false,
    points: {
      show: true,
      size: pointCount > 40 ? 4 : 6,
      fill: computedColour('--surface'),
      stroke: colour,
      width: 1.5,
    },
  };
}
