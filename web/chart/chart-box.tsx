// A chart with all that belongs to it: what is read, how much of the history is shown, the files, and the numbers as a table.
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icons.tsx';
import { Chart, type ChartNoteMark } from './chart.tsx';
import { ChartFiles, type NumberFile } from './chart-files.tsx';
import { type ChartRange, formatValue, type Mark, type Measure, type Series, type Shape } from './chart-scale.ts';

export interface ChartBoxProps {
  readonly title: string;
  readonly marks: readonly Mark[];
  readonly series: readonly Series[];
  readonly shape: Shape;
  readonly measure: Measure;
  readonly range: ChartRange;
  readonly notes?: readonly ChartNoteMark[];
  /** Undefined where all is shown anyway. */
  readonly onZoom?: (range: ChartRange) => void;
  /** What is read at a mark, where it is more than the values of the series. */
  readonly readAt?: (at: number) => readonly Reading[];
  /** The mark that is read while nobody reads; the last in sight unless given. */
  readonly restsAt?: number;
  /** Of its files, without the ending. */
  readonly fileName: string;
  readonly files?: readonly NumberFile[];
  readonly children?: ComponentChildren;
}

export interface Reading {
  readonly name: string;
  readonly colour: string;
  readonly value: string;
}

export function ChartBox(props: ChartBoxProps) {
  const { title, marks, series, range, measure, onZoom, notes = [] } = props;
  const [at, setAt] = useState<number | null>(null);
  const drawing = useRef<SVGSVGElement>(null);
  const shown = Math.max(range.from, Math.min(range.to, at ?? props.restsAt ?? range.to));
  const readings = props.readAt?.(shown) ?? readSeries(series, { at: shown, measure });
  const mark = marks[shown];
  const noted = notes.filter((note) => note.at === shown).map(({ text }) => text);
  const reading = [mark?.name, ...readings.map(({ name, value }) => `${name} ${value}`), ...noted].join(', ');
  const isZoomed = range.from > 0 || range.to < marks.length - 1;
  return (
    <>
      <div class="chart-legend">
        <div class="readout">
          <span class="readout-period">{mark?.name}</span>
          {readings.map(({ name, colour, value }, i) => (
            <span key={i} class="readout-term">
              <Swatch colour={colour} />
              <span class="readout-name" title={name}>
                {name}
              </span>
              <b class="numbers">{value}</b>
            </span>
          ))}
          {noted.map((text, i) => (
            <span key={`note ${i}`} class="readout-note">
              <Icon name="flag" /> {text}
            </span>
          ))}
        </div>
        <div class="chart-tools">
          {onZoom && !isZoomed && <span class="chart-hint muted">drag to zoom</span>}
          {onZoom && isZoomed && (
            <button type="button" class="button is-small" onClick={() => onZoom({ from: 0, to: marks.length - 1 })}>
              <Icon name="zoom" /> Whole history
            </button>
          )}
          <ChartFiles {...props} drawing={drawing} />
        </div>
      </div>
      <Chart
        {...props}
        label={`${title}: ${series.map(({ name }) => name).join(', ')}, ${marks[range.from]?.name ?? ''} to ${marks[range.to]?.name ?? ''}`}
        at={at}
        reading={reading}
        onRead={setAt}
        onZoom={onZoom}
        drawing={drawing}
      />
      {props.children}
      <Numbers {...props} />
    </>
  );
}

function readSeries(
  series: readonly Series[],
  { at, measure }: { readonly at: number; readonly measure: Measure },
): readonly Reading[] {
  return series.map(({ name, colour, values }) => ({ name, colour, value: formatValue(values[at], measure) }));
}

export function Swatch({ colour }: { readonly colour: string }) {
  return <span class="swatch" style={{ background: `var(${colour})` }} aria-hidden="true" />;
}

/** The same as a table, for those who do not see the drawing or want the numbers. */
function Numbers({ title, marks, series, measure, readAt }: ChartBoxProps) {
  return (
    <details class="chart-numbers">
      <summary>The numbers</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable. */}
      <section class="scroll-box" tabIndex={0} aria-label={`${title} by period`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Period</th>
              {readAt ? (
                <th scope="col">{title}</th>
              ) : (
                series.map(({ name }, i) => (
                  <th key={i} scope="col" class="is-right">
                    {name}
                  </th>
                ))
              )}
            </tr>
          </thead>
          <tbody>
            {marks
              .map(({ name }, at) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {readAt ? (
                    <td>{joinReadings(readAt(at))}</td>
                  ) : (
                    series.map(({ values }, k) => (
                      <td key={k} class="is-right">
                        {formatValue(values[at], measure)}
                      </td>
                    ))
                  )}
                </tr>
              ))
              .toReversed()}
          </tbody>
        </table>
      </section>
    </details>
  );
}

function joinReadings(readings: readonly Reading[]): string {
  return readings.map(({ name, value }) => `${name} ${value}`).join('; ') || '–';
}
