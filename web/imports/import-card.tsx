import { useState } from 'preact/hooks';
import type { ReportImport } from '../api/wire.ts';
import { downloadFile } from '../parts/download.ts';
import { formatAge, formatInstant, formatNumber } from '../parts/format.ts';
import { showToast } from '../parts/toast.tsx';
import { ChoicesForm, choicesOf, presentChoices } from './import-choices.tsx';
import { ImportReport } from './import-report.tsx';
import { formatBytes, periodWords, progressWords, stateWords, timeLeft } from './import-words.ts';
import { act } from './imports.ts';
import { forget, pause, resume, type Sending, sendings } from './sending.ts';

interface CardProps {
  readonly each: ReportImport;
  readonly load: () => Promise<void>;
}

/** An import that is not over. */
export function ImportCard({ each, load }: CardProps) {
  const sending = sendings.value.get(each.id);
  return (
    <li class="panel import-card">
      <header class="panel-head">
        <h2>{each.file_name}</h2>
        <span class="muted">{formatBytes(each.size_bytes)}</span>
      </header>
      <p role="status">
        <b>{sending?.isOn ? 'Sending' : stateWords(each)}</b>
        {each.progress && <span class="muted"> {progressWords(each)}</span>}
      </p>
      {each.state === 'uploading' && <SendingLine each={each} sending={sending} />}
      {each.progress && each.progress.bytes_total > 0 && (
        <progress
          aria-label={`${stateWords(each)} ${each.file_name}`}
          value={each.progress.bytes_done}
          max={each.progress.bytes_total}
        />
      )}
      <Fault each={each} />
      <ImportReport each={each} />
      <CardActions each={each} load={load} />
    </li>
  );
}

function SendingLine({ each, sending }: { readonly each: ReportImport; readonly sending: Sending | undefined }) {
  const sent = sending?.sentBytes ?? each.uploaded_bytes;
  const left = sending?.isOn ? timeLeft(each.size_bytes - sent, sending.bytesPerSecond) : '';
  return (
    <>
      <progress aria-label={`Sent of ${each.file_name}`} value={sent} max={each.size_bytes} />
      <p class="muted numbers">
        {formatBytes(sent)} of {formatBytes(each.size_bytes)}
        {sending?.isOn && sending.bytesPerSecond > 0 && `, ${formatBytes(sending.bytesPerSecond)}/s`}
        {left && `, ${left}`}
      </p>
      {sending?.trouble && <p class="fault">{sending.trouble}</p>}
      {!sending && <p>Choose the same file again to go on where it stopped.</p>}
      {sending && (
        <p class="import-actions">
          {sending.isOn ? (
            <button type="button" class="button" onClick={() => pause(each.id)}>
              Pause
            </button>
          ) : (
            <button type="button" class="button" onClick={() => resume(each.id, sending.file, sent)}>
              Go on
            </button>
          )}
        </p>
      )}
    </>
  );
}

function Fault({ each: { fault } }: { readonly each: ReportImport }) {
  if (!fault) return null;
  return (
    <p class="fault">
      {fault.line === null ? '' : `Line ${fault.line}: `}
      {fault.message} {fault.hint}
    </p>
  );
}

function CardActions({ each, load }: CardProps) {
  const { id, state, report } = each;
  const [isChanging, setChanging] = useState(false);
  const canChange = state === 'checked' || state === 'failed';
  if (isChanging && canChange) return <ChangeForm each={each} load={load} onClose={() => setChanging(false)} />;
  const cancel = async () => {
    forget(id);
    await act(id, { method: 'DELETE' }, load);
  };
  return (
    <p class="import-actions">
      {state === 'checked' && (
        <button
          type="button"
          class="button is-primary"
          onClick={() => act(`${id}/publish`, { method: 'POST' }, load)}
          aria-label={`Publish ${each.file_name}`}
        >
          Publish
        </button>
      )}
      {canChange && (
        <button type="button" class="button" onClick={() => setChanging(true)}>
          Read it otherwise
        </button>
      )}
      {report?.has_rejects_file && <RejectsButton each={each} />}
      {state !== 'importing' && state !== 'undo_requested' && state !== 'undoing' && (
        <button type="button" class="button" onClick={cancel} aria-label={`Cancel ${each.file_name}`}>
          Cancel
        </button>
      )}
    </p>
  );
}

function ChangeForm({ each, load, onClose }: CardProps & { readonly onClose: () => void }) {
  const [choices, setChoices] = useState(choicesOf(each));
  const submit = async (event: Event) => {
    event.preventDefault();
    await act(each.id, { method: 'PATCH', body: presentChoices(choices) }, load);
    onClose();
  };
  return (
    <form onSubmit={submit}>
      <ChoicesForm choices={choices} onChange={setChoices} />
      <p class="import-actions">
        <button type="submit" class="button is-primary">
          Check again
        </button>
        <button type="button" class="button" onClick={onClose}>
          Leave it
        </button>
      </p>
    </form>
  );
}

function RejectsButton({ each }: { readonly each: ReportImport }) {
  const download = () =>
    downloadFile(`/v1/imports/${each.id}/rejects`).catch((error: Error) =>
      showToast(error.message, { isFailure: true }),
    );
  return (
    <button type="button" class="button" onClick={download} aria-label={`Rejects of ${each.file_name}`}>
      Rejects
    </button>
  );
}

/** An import that is over. */
export function HistoryRow({ each, load }: CardProps) {
  const { id, state, report } = each;
  const [isAsking, setAsking] = useState(false);
  const canUndo = state === 'done' && report?.periods.some(({ status }) => status === 'published');
  const undo = () => {
    setAsking(false);
    void act(`${id}/undo`, { method: 'POST' }, load);
  };
  return (
    <li>
      <div class="history-words">
        <b>{each.file_name}</b>
        <small class="muted">
          {stateWords(each)}{' '}
          <span title={formatInstant(each.updated_at)}>{formatAge(each.updated_at, Date.now())}</span>
          {each.created_by && ` by ${each.created_by}`}
          {report && report.periods.length > 0 && `: ${report.periods.map(periodWords).join('; ')}`}
        </small>
        <Fault each={each} />
        {report && (
          <details>
            <summary>
              What was in it: {report.rows === 1 ? 'one row' : `${formatNumber(report.rows)} rows`}
              {report.rejected_rows > 0 && `, ${formatNumber(report.rejected_rows)} rejected`}
            </summary>
            <ImportReport each={each} />
          </details>
        )}
      </div>
      {report?.has_rejects_file && <RejectsButton each={each} />}
      {canUndo && !isAsking && (
        <button
          type="button"
          class="button"
          onClick={() => setAsking(true)}
          aria-label={`Undo the import of ${each.file_name}`}
        >
          Undo
        </button>
      )}
      {isAsking && (
        <span class="import-actions">
          <button type="button" class="button is-primary" onClick={undo}>
            {report?.periods.some(({ replaces }) => replaces) ? 'Bring back what was before' : 'Withdraw it'}
          </button>
          <button type="button" class="button" onClick={() => setAsking(false)}>
            Keep it
          </button>
        </span>
      )}
    </li>
  );
}
