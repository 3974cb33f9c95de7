// Places and shares over time: of one holder as a stack of first, second and third places, of several as lines.

import type { Frequency, HolderData } from '../api/wire.ts';
import { ChartBox } from '../chart/chart-box.tsx';
import { marksOf, readRange, zoomTo } from '../chart/chart-range.ts';
import type { Series } from '../chart/chart-scale.ts';
import { RangePicker } from '../chart/range-picker.tsx';
import { SERIES_DASHES, seriesVariable } from '../chart/series-colour.ts';

interface NamedHolder {
  readonly name: string;
  readonly data: HolderData;
  /** Of its colour. */
  readonly index: number;
}

interface HolderChartsProps {
  /** One at least. */
  readonly holders: readonly NamedHolder[];
  readonly type: Frequency;
}

type Period = HolderData['periods'][number];

const PLACES = [
  { name: 'First', field: 'place_1' },
  { name: 'Second', field: 'place_2' },
  { name: 'Third', field: 'place_3' },
] as const;

export function HolderCharts({ holders, type }: HolderChartsProps) {
  const [first] = holders;
  const periods = first?.data.periods ?? [];
  if (!first || periods.length === 0) return null;
  const hasShares = holders.some(({ data }) => data.periods.some(({ click_share_mean: share }) => share != null));
  const chart = {
    marks: marksOf(periods, type),
    range: readRange(periods),
    onZoom: (range: Parameters<typeof zoomTo>[0]) => zoomTo(range, periods),
  };
  const fileName = first.name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 40);
  return (
    <>
      <div class="chart-head">
        <h2>Over time</h2>
        <RangePicker />
      </div>
      <div class={hasShares ? 'keyword-columns is-even' : 'keyword-columns is-single'}>
        <section class="panel chart-panel">
          <header class="panel-head">
            <h2>Keywords in the top three</h2>
          </header>
          <ChartBox
            {...chart}
            title={`Keywords in the top three: ${holders.map(({ name }) => name).join(', ')}`}
            series={holders.length === 1 ? placesOf(periods) : linesOf(holders, ({ keywords }) => keywords)}
            shape={holders.length === 1 ? 'areas' : 'lines'}
            measure="count"
            fileName={`${fileName}-places`}
          />
        </section>
        {hasShares && (
          <section class="panel chart-panel">
            <header class="panel-head">
              <h2>Mean click share of its keywords</h2>
            </header>
            <ChartBox
              {...chart}
              title={`Mean click share: ${holders.map(({ name }) => name).join(', ')}`}
              series={linesOf(holders, ({ click_share_mean: share }) => share ?? null)}
              shape="lines"
              measure="percent"
              fileName={`${fileName}-share`}
            />
          </section>
        )}
      </div>
    </>
  );
}

function placesOf(periods: readonly Period[]): readonly Series[] {
  return PLACES.map(({ name, field }, i) => ({
    name,
    values: periods.map((period) => period[field]),
    colour: `--place-${i + 1}`,
  }));
}

function linesOf(holders: readonly NamedHolder[], read: (period: Period) => number | null): readonly Series[] {
  return holders.map(({ name, data, index }) => ({
    name,
    values: data.periods.map(read),
    colour: seriesVariable(index),
    dash: SERIES_DASHES[index],
  }));
}
