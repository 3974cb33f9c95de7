// A chart over time that is read with the pointer or the arrow keys, and zoomed by dragging. The place that is read belongs to
// whoever shows its values.
import type { ComponentChildren, Ref } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Axes } from './chart-axes.tsx';
import { type Frame, markAt, Plot, xOf, yOf } from './chart-plot.tsx';
import {
  type ChartRange,
  type Mark,
  type Measure,
  makeScale,
  type Series,
  type Shape,
  stackLayers,
} from './chart-scale.ts';

export interface ChartNoteMark {
  readonly at: number;
  readonly text: string;
}

export interface ChartProps {
  /** What the drawing shows, for those who do not see it. */
  readonly label: string;
  readonly marks: readonly Mark[];
  readonly series: readonly Series[];
  readonly shape: Shape;
  readonly measure: Measure;
  readonly range: ChartRange;
  readonly notes?: readonly ChartNoteMark[];
  /** The mark that is read. */
  readonly at: number | null;
  /** What there is to read at it, in words. */
  readonly reading: string;
  readonly onRead: (at: number | null) => void;
  readonly onZoom: ((range: ChartRange) => void) | undefined;
  readonly drawing: Ref<SVGSVGElement>;
}

const HEIGHT_PX = 340;
const NARROW_HEIGHT_PX = 260;
const NARROW_PX = 560;
const MARGIN = { left: 48, right: 14, top: 14, bottom: 30 } as const;
const SECOND_LINE_PX = 15;
const MIN_DRAG_PX = 6;

export function Chart(props: ChartProps) {
  const { label, marks, range, shape, at, reading, drawing } = props;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const height = width < NARROW_PX ? NARROW_HEIGHT_PX : HEIGHT_PX;
  const hasTwoLines = marks.some(({ text }) => text.includes('\n'));
  const frame: Frame = {
    left: MARGIN.left,
    top: MARGIN.top,
    width: Math.max(40, width - MARGIN.left - MARGIN.right),
    height: height - MARGIN.top - MARGIN.bottom - (hasTwoLines ? SECOND_LINE_PX : 0),
  };
  const scale = makeScale(props.series, props);
  const plot = { ...props, scale, frame };
  return (
    <div class="chart" ref={box} style={{ height: `${height}px` }}>
      <svg ref={drawing} width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        <Axes {...plot} />
        <Plot {...plot} />
        <Notes notes={props.notes ?? []} {...{ range, shape, frame }} />
        {at !== null && at >= range.from && at <= range.to && <Cursor {...plot} at={at} />}
      </svg>
      <Reader {...props} frame={frame} reading={marks[at ?? range.to] ? reading : ''} />
    </div>
  );
}

function useWidth(box: { readonly current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setWidth(Math.max(240, element.clientWidth));
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [box]);
  return width;
}

type PlacedProps = Pick<ChartProps, 'range' | 'shape'> & { readonly frame: Frame };

function Notes({ notes, ...placed }: PlacedProps & { readonly notes: readonly ChartNoteMark[] }): ComponentChildren {
  const { range, frame } = placed;
  return notes
    .filter(({ at }) => at >= range.from && at <= range.to)
    .map(({ at, text }, i) => {
      const x = xOf(at, placed);
      return (
        <g key={i} class="plot-note">
          <title>{text}</title>
          <line x1={x} x2={x} y1={frame.top - 4} y2={frame.top + frame.height} />
          <path d={`M${x} ${frame.top - 12}h9l-3 4 3 4h-9Z`} />
        </g>
      );
    });
}

/** The place that is read; not part of what is saved. */
function Cursor(plot: ChartProps & Parameters<typeof Plot>[0] & { readonly at: number }) {
  const { at, frame, series, shape } = plot;
  const x = xOf(at, plot);
  const layers = shape === 'lines' ? [] : stackLayers(series, at + 1);
  return (
    <g class="plot-cursor" data-passing>
      <line x1={x} x2={x} y1={frame.top} y2={frame.top + frame.height} />
      {shape !== 'columns' &&
        series.map(({ values, colour }, k) => {
          const value = values[at] ?? null;
          if (value === null) return null;
          const y = yOf(layers[k]?.[at]?.[1] ?? value, plot);
          return <circle key={k} cx={x} cy={y} r="5" style={{ fill: `var(${colour})` }} />;
        })}
    </g>
  );
}

/** Lies over the plot and hears pointer and keys. */
function Reader(props: ChartProps & { readonly frame: Frame }) {
  const { range, at, reading, onRead, onZoom, frame, marks } = props;
  const [dragged, setDragged] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const xOfEvent = (event: PointerEvent) =>
    event.clientX - (event.currentTarget as HTMLElement).getBoundingClientRect().left + frame.left;
  const read = (x: number) => onRead(markAt(x, props));
  const onPointerUp = () => {
    setDragged(null);
    if (!dragged || Math.abs(dragged.to - dragged.from) < MIN_DRAG_PX) return;
    onZoom?.(
      widen(
        markAt(Math.min(dragged.from, dragged.to), props),
        markAt(Math.max(dragged.from, dragged.to), props),
        range,
      ),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = markForKey(event.key, at ?? range.to, range);
    if (target === undefined) return;
    event.preventDefault();
    onRead(target);
  };
  const { left, top, width, height } = frame;
  return (
    <div
      class="chart-reader"
      role="slider"
      tabIndex={0}
      aria-label="Period to read"
      aria-valuemin={range.from}
      aria-valuemax={range.to}
      aria-valuenow={Math.max(range.from, Math.min(range.to, at ?? range.to))}
      aria-valuetext={reading}
      style={{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }}
      onPointerMove={(event) => {
        const x = xOfEvent(event);
        read(x);
        if (dragged) setDragged({ ...dragged, to: x });
      }}
      onPointerDown={(event) => {
        const x = xOfEvent(event);
        read(x);
        if (event.pointerType !== 'mouse' || event.button !== 0 || !onZoom) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged({ from: x, to: x });
      }}
      onPointerUp={onPointerUp}
      onPointerCancel={() => setDragged(null)}
      // A finger that was lifted has read; it reads on until something else is touched.
      onPointerLeave={(event) => event.pointerType === 'mouse' && onRead(null)}
      onDblClick={() => onZoom?.({ from: 0, to: marks.length - 1 })}
      onKeyDown={onKeyDown}
      onBlur={() => onRead(null)}
    >
      {dragged && (
        <span
          class="chart-selection"
          style={{
            left: `${Math.min(dragged.from, dragged.to) - left}px`,
            width: `${Math.abs(dragged.to - dragged.from)}px`,
          }}
        />
      )}
    </div>
  );
}

/** Two marks at least. */
function widen(from: number, to: number, range: ChartRange): ChartRange {
  const first = Math.max(range.from, Math.min(range.to - 1, from));
  return { from: first, to: Math.max(first + 1, to) };
}

/** Inside what is in sight; undefined for a key that means nothing here. */
function markForKey(key: string, here: number, range: ChartRange): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowLeft: here - 1,
    ArrowDown: here - 1,
    ArrowRight: here + 1,
    ArrowUp: here + 1,
    Home: range.from,
    End: range.to,
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.max(range.from, Math.min(range.to, target));
}
