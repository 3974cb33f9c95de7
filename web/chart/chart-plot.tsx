// The drawing inside the axes: lines, stacked areas or stacked columns, all of it SVG, so that it can be saved as it is seen.
import { type ChartRange, type Scale, type Series, type Shape, stackLayers } from './chart-scale.ts';

export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface PlotProps {
  readonly series: readonly Series[];
  readonly shape: Shape;
  readonly scale: Scale;
  readonly range: ChartRange;
  readonly frame: Frame;
}

const MAX_DOTS = 60;
/** Of the room that a mark has. */
const COLUMN_SHARE = 0.72;
const MAX_COLUMN_PX = 46;

/** The middle of a mark, in pixels from the left. */
export function xOf(index: number, { shape, range, frame }: Pick<PlotProps, 'shape' | 'range' | 'frame'>): number {
  const count = range.to - range.from + 1;
  const isBanded = shape === 'columns' || count === 1;
  const share = isBanded ? (index - range.from + 0.5) / count : (index - range.from) / (count - 1);
  return round(frame.left + share * frame.width);
}

/** The mark nearest to a place. */
export function markAt(x: number, { shape, range, frame }: Pick<PlotProps, 'shape' | 'range' | 'frame'>): number {
  const count = range.to - range.from + 1;
  const share = (x - frame.left) / frame.width;
  const index = shape === 'columns' || count === 1 ? Math.floor(share * count) : Math.round(share * (count - 1));
  return range.from + Math.max(0, Math.min(count - 1, index));
}

export function yOf(value: number, { scale, frame }: Pick<PlotProps, 'scale' | 'frame'>): number {
  return round(frame.top + scale.depthOf(value) * frame.height);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function Plot(props: PlotProps) {
  const isSingle = props.range.from === props.range.to;
  if (props.shape === 'lines') return <Lines {...props} />;
  return props.shape === 'columns' || isSingle ? <Columns {...props} /> : <Areas {...props} />;
}

function Lines(props: PlotProps) {
  return (
    <>
      {props.series.map((series, i) => (
        <Line key={i} {...props} line={series} />
      ))}
    </>
  );
}

/** Dotted where marks without a value lie between two with one. */
function Line({ line, ...props }: PlotProps & { readonly line: Series }) {
  const { range } = props;
  const points = line.values.slice(range.from, range.to + 1).flatMap((value, i) => {
    if (value === null) return [];
    const index = range.from + i;
    return [{ index, x: xOf(index, props), y: yOf(value, props) }];
  });
  const isJoined = (i: number) => points[i - 1]?.index === (points[i]?.index ?? 0) - 1;
  const solid = points.map(({ x, y }, i) => `${isJoined(i) ? 'L' : 'M'}${x} ${y}`).join('');
  const gaps = points
    .map(({ x, y }, i) => {
      const before = points[i - 1];
      return before && !isJoined(i) ? `M${before.x} ${before.y}L${x} ${y}` : '';
    })
    .join('');
  // Where there are too many for dots, those that no line leads to still need one.
  const dots = range.to - range.from < MAX_DOTS ? points : points.filter((_, i) => !isJoined(i) && !isJoined(i + 1));
  return (
    <g class="plot-line" style={{ stroke: `var(${line.colour})` }}>
      <path class="plot-gap" d={gaps} />
      <path d={solid} stroke-dasharray={line.dash?.join(' ')} />
      {dots.map(({ index, x, y }) => (
        <circle key={index} cx={x} cy={y} r="3" />
      ))}
    </g>
  );
}

function Areas(props: PlotProps) {
  const { series, range } = props;
  const marks = Array.from({ length: range.to - range.from + 1 }, (_, i) => range.from + i);
  const layers = stackLayers(series, range.to + 1);
  return (
    <>
      {series.map(({ colour }, k) => {
        const edge = (side: 0 | 1) => marks.map((i) => `${xOf(i, props)} ${yOf(layers[k]?.[i]?.[side] ?? 0, props)}`);
        return (
          <g key={k} class="plot-area" style={{ fill: `var(${colour})`, stroke: `var(${colour})` }}>
            <path class="plot-fill" d={`M${edge(1).join('L')}L${edge(0).toReversed().join('L')}Z`} />
            <path class="plot-edge" d={`M${edge(1).join('L')}`} />
          </g>
        );
      })}
    </>
  );
}

function Columns(props: PlotProps) {
  const { series, range, frame } = props;
  const count = range.to - range.from + 1;
  const width = Math.max(1, Math.min(MAX_COLUMN_PX, (frame.width / count) * COLUMN_SHARE));
  const layers = stackLayers(series, range.to + 1);
  return (
    <>
      {series.map(({ colour }, k) => (
        <g key={k} class="plot-column" style={{ fill: `var(${colour})` }}>
          {layers[k]?.slice(range.from).map(([bottom, top], i) => {
            if (top === bottom) return null;
            const [high, low] = [yOf(top, props), yOf(bottom, props)];
            const middle = xOf(range.from + i, props);
            return (
              <rect key={i} x={round(middle - width / 2)} y={high} width={round(width)} height={round(low - high)} />
            );
          })}
        </g>
      ))}
    </>
  );
}
