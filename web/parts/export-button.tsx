import { useState } from 'preact/hooks';
import { OPERATIONS } from '../api/operations.ts';
import { pathOf, type Request } from '../api/request.ts';
import { asFailure } from '../api/use-answer.ts';
import { explain } from '../tracked/tracked-terms.ts';
import { downloadFile } from './download.ts';
import { formatNumber } from './format.ts';
import { Popover } from './popover.tsx';
import { Segmented } from './segmented.tsx';
import { showToast } from './toast.tsx';

const FILES = [
  { value: 'xlsx', text: 'Excel' },
  { value: 'csv', text: 'CSV' },
  { value: 'ndjson', text: 'NDJSON' },
  { value: 'parquet', text: 'Parquet' },
] as const;
/** Those that can be put together from parts. */
const TEXT_FILES = FILES.filter(({ value }) => value === 'csv' || value === 'ndjson');
const VALUES = [
  { value: 'raw', text: 'Ranks' },
  { value: 'delta', text: 'Changes' },
  { value: 'percentage', text: 'Percent' },
] as const;
const MAX_THRESHOLD = 50;

type FileFormat = (typeof FILES)[number]['value'];
type ValueFormat = (typeof VALUES)[number]['value'];

export interface Exported extends Pick<Request, 'path' | 'segments'> {
  /** Of the list; its file stands at the same path with `/export` behind it. */
  readonly path: string;
  /** Several where one request does not take all: their rows follow each other in one file. */
  readonly params: URLSearchParams | readonly URLSearchParams[];
  /** How many rows the file will have. */
  readonly count: number;
}

export function ExportButton(exported: Exported) {
  return (
    <Popover text="Export" icon="download" title="Export these rows" align="right">
      {(close) => <ExportForm {...exported} onDone={close} />}
    </Popover>
  );
}

function ExportForm({ path, segments = {}, params, count, onDone }: Exported & { readonly onDone: () => void }) {
  const parts = params instanceof URLSearchParams ? [params] : params;
  const files = parts.length > 1 ? TEXT_FILES : FILES;
  const [file, setFile] = useState<FileFormat>(files[0]?.value ?? 'csv');
  const [format, setFormat] = useState<ValueFormat>('raw');
  const [threshold, setThreshold] = useState(0);
  const [isRunning, setRunning] = useState(false);
  const hasPeriodColumns = 'format' in (OPERATIONS[`${path}/export`]?.parameters ?? {});

  const start = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    try {
      const values = { format, ...(file === 'xlsx' && { color_threshold: String(threshold) }) };
      const paths = parts.map((part) => {
        const all = exportParams(part, { file_format: file, ...(hasPeriodColumns && values) });
        return pathOf({ path: `${path}/export`, segments, params: all });
      });
      await downloadFile(...paths);
      onDone();
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    setRunning(false);
  };

  return (
    <form class="export-form" onSubmit={start}>
      <Segmented label="File" options={files} value={file} onChange={setFile} />
      {hasPeriodColumns && (
        <>
          <Segmented label="Values of the period columns" options={VALUES} value={format} onChange={setFormat} />
          <label class="field">
            <span>
              Colour changes from <b class="numbers">{threshold}%</b>
            </span>
            <input
              type="range"
              min={0}
              max={MAX_THRESHOLD}
              value={threshold}
              disabled={file !== 'xlsx'}
              onInput={(event) => setThreshold(Number(event.currentTarget.value))}
            />
          </label>
        </>
      )}
      <button type="submit" class="button is-primary is-wide" disabled={isRunning || count === 0}>
        {isRunning ? 'Preparing …' : describeRows(count)}
      </button>
      <p class="muted">Costs no search. Up to 100,000 rows.</p>
    </form>
  );
}

function describeRows(count: number): string {
  if (count === 0) return 'Nothing to download';
  return `Download ${formatNumber(count)} ${count === 1 ? 'row' : 'rows'}`;
}

/** Every row, not those of this page. */
function exportParams(params: URLSearchParams, values: Readonly<Record<string, string>>): URLSearchParams {
  const all = new URLSearchParams(params);
  for (const name of ['page', 'offset', 'limit']) all.delete(name);
  for (const [name, value] of Object.entries(values)) all.set(name, value);
  return all;
}
