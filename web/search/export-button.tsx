// An export needs the key in a header, which a plain link cannot carry: the file is fetched and then handed to the browser.
import { useState } from 'preact/hooks';
import { send } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import { formatNumber } from '../parts/format.ts';
import { Popover } from '../parts/popover.tsx';
import { Segmented } from '../parts/segmented.tsx';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';
import type { SearchState } from './search-state.ts';

const FILES = [
  { value: 'xlsx', text: 'Excel' },
  { value: 'csv', text: 'CSV' },
  { value: 'ndjson', text: 'NDJSON' },
  { value: 'parquet', text: 'Parquet' },
] as const;
const VALUES = [
  { value: 'raw', text: 'Ranks' },
  { value: 'delta', text: 'Changes' },
  { value: 'percentage', text: 'Percent' },
] as const;
const MAX_THRESHOLD = 50;

type FileFormat = (typeof FILES)[number]['value'];
type ValueFormat = (typeof VALUES)[number]['value'];

export function ExportButton({ state, count }: { readonly state: SearchState; readonly count: number }) {
  return (
    <Popover text="Export" icon="download" title="Export these keywords" align="right">
      {(close) => <ExportForm state={state} count={count} onDone={close} />}
    </Popover>
  );
}

interface ExportFormProps {
  readonly state: SearchState;
  readonly count: number;
  readonly onDone: () => void;
}

function ExportForm({ state, count, onDone }: ExportFormProps) {
  const [file, setFile] = useState<FileFormat>('xlsx');
  const [format, setFormat] = useState<ValueFormat>('raw');
  const [threshold, setThreshold] = useState(0);
  const [isRunning, setRunning] = useState(false);

  const start = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    try {
      await download(exportParams(state, { file, format, threshold }));
      onDone();
    } catch (error) {
      showToast(explain(asFailure(error)), { isFailure: true });
    }
    setRunning(false);
  };

  return (
    <form class="export-form" onSubmit={start}>
      <Segmented label="File" options={FILES} value={file} onChange={setFile} />
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
      <button type="submit" class="button is-primary is-wide" disabled={isRunning}>
        {isRunning ? 'Preparing …' : `Download ${formatNumber(count)} ${count === 1 ? 'row' : 'rows'}`}
      </button>
      <p class="muted">Costs no search. Up to 100,000 rows.</p>
    </form>
  );
}

/** Every row, not those of this page. */
function exportParams(
  { params }: SearchState,
  { file, format, threshold }: { readonly file: FileFormat; readonly format: ValueFormat; readonly threshold: number },
): URLSearchParams {
  const all = new URLSearchParams(params);
  all.delete('page');
  all.delete('limit');
  all.set('file_format', file);
  all.set('format', format);
  if (file === 'xlsx') all.set('color_threshold', String(threshold));
  return all;
}

async function download(params: URLSearchParams): Promise<void> {
  const response = await send(`/v1/search/keywords/export?${params}`);
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'keywords';
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
