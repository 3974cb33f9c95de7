import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asFailure } from '../api/use-answer.ts';
import { addressOf } from '../app/location.ts';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { explain } from '../tracked/tracked-terms.ts';
import { DropZone } from './drop-zone.tsx';
import { HistoryRow, ImportCard } from './import-card.tsx';
import { ChoicesForm, NO_CHOICES, presentChoices } from './import-choices.tsx';
import { isOpen, useImports } from './imports.ts';
import { addFile, isSending, sendings } from './sending.ts';
import '../styles/imports.css';

export function ImportsView() {
  const { answer, failure, load, showMore } = useImports();
  useWarningBeforeLeaving();
  // What was sent completely is looked at at once.
  const count = sendings.value.size;
  useEffect(() => void load(), [count]);
  return (
    <div class="imports-view">
      <div class="view-head">
        <h1>
          <a href={addressOf('/periods')} data-view class="muted">
            Data
          </a>{' '}
          / Import
        </h1>
      </div>
      {failure?.status === 403 ? <NotForYou /> : failure && <FailureNotice failure={failure} onRetry={load} />}
      {!answer && !failure && <Skeleton rows={6} />}
      {answer && (
        <>
          <NewImports load={load} />
          <ul class="import-cards" aria-label="Imports under way">
            {answer.data.filter(isOpen).map((each) => (
              <ImportCard key={each.id} each={each} load={load} />
            ))}
          </ul>
          <History imports={answer.data.filter((each) => !isOpen(each))} load={load}>
            {answer.pagination.has_next && (
              <button type="button" class="button is-small" onClick={showMore}>
                Show older ones
              </button>
            )}
          </History>
        </>
      )}
    </div>
  );
}

type Loaded = ReturnType<typeof useImports>;

function NotForYou() {
  return (
    <EmptyNotice title="Reports are imported by operators.">
      <p>
        An operator of this installation sends them here, or with <code>keyrank import FILE</code> on the server.
      </p>
    </EmptyNotice>
  );
}

function NewImports({ load }: Pick<Loaded, 'load'>) {
  const [choices, setChoices] = useState(NO_CHOICES);
  const [faults, setFaults] = useState<readonly string[]>([]);
  const add = async (files: readonly File[]) => {
    const refused: string[] = [];
    for (const file of files) {
      try {
        await addFile(file, presentChoices(choices));
      } catch (error) {
        refused.push(`${file.name}: ${explain(asFailure(error))}`);
      }
      await load();
    }
    setFaults(refused);
  };
  return (
    <section class="panel">
      <DropZone onFiles={(files) => void add(files)} />
      {faults.map((fault) => (
        <p key={fault} class="fault" role="alert">
          {fault}
        </p>
      ))}
      <details>
        <summary>How the files are read</summary>
        <p class="muted">Format, marketplace and period are recognised from the content and the name of each file.</p>
        <ChoicesForm choices={choices} onChange={setChoices} />
      </details>
    </section>
  );
}

interface HistoryProps extends Pick<Loaded, 'load'> {
  readonly imports: NonNullable<Loaded['answer']>['data'];
  readonly children: ComponentChildren;
}

function History({ imports, load, children }: HistoryProps) {
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>History</h2>
      </header>
      {imports.length === 0 ? (
        <p class="muted">
          Nothing was imported here yet. On the server <code>keyrank import FILE</code> does the same.
        </p>
      ) : (
        <ul class="import-history">
          {imports.map((each) => (
            <HistoryRow key={each.id} each={each} load={load} />
          ))}
        </ul>
      )}
      {children}
    </section>
  );
}

/** A page that is closed sends nothing more. */
function useWarningBeforeLeaving(): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (isSending()) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, []);
}
