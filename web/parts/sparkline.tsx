// A rank history in the space of a word. Where periods without a rank lie between two with one, the line is dotted.
import { useEffect, useState } from 'preact/hooks';
import type { Frequency } from '../api/wire.ts';
import { formatNumber, formatPeriod, formatPeriodShort } from './format.ts';
import { hidePointHint, showPointHint } from './point-hint.ts';
import { rankSpan } from './rank-scale.ts';

interface SparklineProps {
  /** Oldest first. */
  readonly history: readonly HistoryPoint[];
  readonly type: Frequency;
  readonly width?: number;
  readonly height?: number;
}

interface HistoryPoint {
  readonly period: string;
  readonly rank: number | null | undefined;
}

const MARGIN = 3;

export function Sparkline({ history, type, width = 104, height = 26 }: SparklineProps) {
  const points = placePoints(history, width, height);
  const last = points.at(-1);
  const best = points.toSorted((a, b) => a.rank - b.rank)[0];
  const { read, hover } = useReading(points, { type, width });
  return (
    <svg
      {...hover}
      class="sparkline"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={describe(points, type)}
    >
      <path d={drawLines(points)} />
      <path class="sparkline-gap" d={drawGaps(points)} />
      {best && best !== last && <circle class="sparkline-best" cx={best.x} cy={best.y} r="1.6" />}
      {read && <path class="sparkline-read" d={`M${read.x} 0V${height}`} />}
      {last && <circle class="sparkline-last" cx={last.x} cy={last.y} r="2.2" />}
      {read && <circle class="sparkline-last" cx={read.x} cy={read.y} r="2.6" />}
    </svg>
  );
}

interface Point {
  readonly index: number;
  readonly period: string;
  readonly rank: number;
  readonly x: number;
  readonly y: number;
}

/** The point nearest to the pointer, or to the finger, says its rank. */
function useReading(points: readonly Point[], { type, width }: { readonly type: Frequency; readonly width: number }) {
  const [index, setIndex] = useState<number | null>(null);
  useEffect(() => hidePointHint, []);
  const show = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof Element)) return;
    const box = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * width;
    const near = points.toSorted((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0];
    if (!near) return;
    setIndex(near.index);
    const at = { x: box.left + (near.x / width) * box.width, y: box.top };
    showPointHint(`${formatPeriodShort(near.period, type)}: ${formatNumber(near.rank)}`, at);
  };
  const leave = () => {
    setIndex(null);
    hidePointHint();
  };
  return {
    read: points.find((point) => point.index === index),
    hover: { onPointerMove: show, onPointerDown: show, onPointerLeave: leave, onPointerCancel: leave },
  };
}

/** One per period with a rank. */
function placePoints(history: SparklineProps['history'], width: number, height: number): readonly Point[] {
  const { best, worst } = rankSpan(history.flatMap(({ rank }) => (rank ? [rank] : [])));
  const step = history.length > 1 ? (width - 2 * MARGIN) / (history.length - 1) : 0;
  return history.flatMap(({ period, rank }, index) => {
    if (!rank) return [];
    const share = Math.log(rank / best) / Math.log(worst / best);
    return [{ index, period, rank, x: round(MARGIN + index * step), y: round(MARGIN + share * (height - 2 * MARGIN)) }];
  });
}

function drawLines(points: readonly Point[]): string {
  return points
    .map(({ index, x, y }, i) => {
      const isBroken = points[i - 1]?.index !== index - 1;
      // A lone period would be invisible as a line without length.
      return isBroken ? `M${x} ${y}h.01` : `L${x} ${y}`;
    })
    .join('');
}

function drawGaps(points: readonly Point[]): string {
  return points
    .map(({ index, x, y }, i) => {
      const before = points[i - 1];
      return before && before.index < index - 1 ? `M${before.x} ${before.y}L${x} ${y}` : '';
    })
    .join('');
}

function describe(points: readonly Point[], type: Frequency): string {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return 'No ranks';
  const say = ({ rank, period }: Point) => `${formatNumber(rank)} in ${formatPeriod(period, type)}`;
  if (first === last) return `Rank ${say(first)} only`;
  return `Rank ${say(first)}, ${say(last)}; best ${formatNumber(Math.min(...points.map(({ rank }) => rank)))}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
