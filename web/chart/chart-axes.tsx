import type { ComponentChildren } from 'preact';
import { type Frame, xOf, yOf } from './chart-plot.tsx';
import type { ChartRange, Mark, Scale, Shape } from './chart-scale.ts';

interface AxesProps {
  readonly marks: readonly Mark[];
  readonly range: ChartRange;
  readonly shape: Shape;
  readonly scale: Scale;
  readonly frame: Frame;
}

const LABEL_PX = 86;
/** Of half a label, less what it may stand over the edge. */
const EDGE_PX = 18;
const STEPS = [1, 2, 3, 4, 6, 12, 26, 52];
const LINE_PX = 15;

export function Axes({ marks, range, shape, scale, frame }: AxesProps): ComponentChildren {
  const count = range.to - range.from + 1;
  const places = Math.max(1, Math.floor(frame.width / LABEL_PX));
  const step = STEPS.find((each) => count / each <= places) ?? Math.ceil(count / places);
  // Counted from the newest, which always has its label.
  const labelled = Array.from({ length: Math.ceil(count / step) }, (_, i) => range.to - i * step);
  return (
    <g class="plot-axes">
      {scale.ticks.map((value) => {
        const y = yOf(value, { scale, frame });
        return (
          <g key={value}>
            <line x1={frame.left} x2={frame.left + frame.width} y1={y} y2={y} />
            <text x={frame.left - 8} y={y + 4} text-anchor="end">
              {scale.formatTick(value)}
            </text>
          </g>
        );
      })}
      {labelled.map((index) => (
        <Label key={index} text={marks[index]?.text ?? ''} x={xOf(index, { shape, range, frame })} frame={frame} />
      ))}
    </g>
  );
}

/** The outermost ones stay inside the drawing. */
function Label({ text, x, frame }: { readonly text: string; readonly x: number; readonly frame: Frame }) {
  const end = frame.left + frame.width;
  const anchor = x > end - EDGE_PX ? 'end' : x < frame.left + EDGE_PX ? 'start' : 'middle';
  return (
    <>
      {text.split('\n').map((line, i) => (
        <text key={line} x={x} y={frame.top + frame.height + 18 + i * LINE_PX} text-anchor={anchor}>
          {line}
        </text>
      ))}
    </>
  );
}
