import type { RefObject } from 'preact';
import { asFailure } from '../api/use-answer.ts';
import { Popover } from '../parts/popover.tsx';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';
import type { ChartNoteMark } from './chart.tsx';
import { savePng, saveSvg } from './chart-file.ts';
import type { Mark, Series } from './chart-scale.ts';

/** The numbers of a chart in a form that a program reads. */
export interface NumberFile {
  readonly text: string;
  readonly save: () => Promise<void>;
}

interface ChartFilesProps {
  readonly title: string;
  readonly fileName: string;
  readonly series: readonly Series[];
  readonly marks: readonly Mark[];
  readonly notes?: readonly ChartNoteMark[];
  readonly files?: readonly NumberFile[];
  readonly drawing: RefObject<SVGSVGElement | null>;
}

export function ChartFiles({ title, fileName, series, marks, notes = [], files = [], drawing }: ChartFilesProps) {
  const legend = [
    ...series.map(({ name, colour }) => ({ text: name, colour })),
    ...notes.map(({ at, text }) => ({ text: `${marks[at]?.name}: ${text}`, colour: '--accent' })),
  ];
  const draw = async (save: typeof savePng | typeof saveSvg) => {
    if (drawing.current) await save({ drawing: drawing.current, name: fileName, title, legend });
  };
  const all: readonly NumberFile[] = [
    { text: 'Picture, PNG', save: () => draw(savePng) },
    { text: 'Drawing, SVG', save: () => draw(saveSvg) },
    ...files,
  ];
  return (
    <Popover text="Save" icon="download" title={`Save: ${title}`} className="button is-small" align="right">
      {(close) => (
        <ul class="choice-list">
          {all.map((file) => (
            <li key={file.text}>
              <button type="button" onClick={() => saveAs(file, close)}>
                {file.text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}

async function saveAs({ save }: NumberFile, done: () => void): Promise<void> {
  try {
    await save();
    done();
  } catch (error) {
    showToast(explain(asFailure(error)), { isFailure: true });
  }
}
