// A rank history in the space of a word: logarithmic, because 1 to 10 matters as much as 10,000 to 100,000, and with rank 1
// on top. Months without a rank break the line. The numbers beside it say the same to those who do not see it.

interface SparklineProps {
  /** Oldest first. */
  readonly ranks: readonly (number | null | undefined)[];
  readonly width?: number;
  readonly height?: number;
}

const MARGIN = 3;

export function Sparkline({ ranks, width = 104, height = 26 }: SparklineProps) {
  const { path, last, best } = drawSparkline(ranks, width, height);
  return (
    <svg class="sparkline" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <path d={path} />
      {best && best !== last && <circle class="sparkline-best" cx={best.x} cy={best.y} r="1.6" />}
      {last && <circle class="sparkline-last" cx={last.x} cy={last.y} r="2.2" />}
    </svg>
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly rank: number;
}

function drawSparkline(ranks: SparklineProps['ranks'], width: number, height: number) {
  const logs = ranks.flatMap((rank) => (rank ? [Math.log(rank)] : []));
  const [top, bottom] = [Math.min(...logs), Math.max(...logs)];
  const step = ranks.length > 1 ? (width - 2 * MARGIN) / (ranks.length - 1) : 0;
  let path = '';
  let last: Point | undefined;
  let best: Point | undefined;
  let isBroken = true;
  for (const [i, rank] of ranks.entries()) {
    if (!rank) {
      isBroken = true;
      continue;
    }
    const share = bottom === top ? 0.5 : (Math.log(rank) - top) / (bottom - top);
    const point = { x: round(MARGIN + i * step), y: round(MARGIN + share * (height - 2 * MARGIN)), rank };
    // A lone month would be invisible as a line without length.
    path += isBroken ? `M${point.x} ${point.y}h.01` : `L${point.x} ${point.y}`;
    isBroken = false;
    last = point;
    if (!best || rank < best.rank) best = point;
  }
  return { path, last, best };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
