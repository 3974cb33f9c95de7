// The imports as the service has them, asked for again while something goes on.
import { useCallback, useEffect, useState } from 'preact/hooks';
import { type ApiFailure, ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { ImportsAnswer, ReportImport } from '../api/wire.ts';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';

/** Beside those that are open, of which there are few. */
const SHOWN = 50;
const MAX_SHOWN = 1000;
const BUSY_LOOK_MS = 1_000;
const IDLE_LOOK_MS = 15_000;

/** What the service does by itself. */
const BUSY: ReadonlySet<string> = new Set([
  'uploaded',
  'checking',
  'approved',
  'importing',
  'undo_requested',
  'undoing',
]);
/** What waits for somebody. */
const OPEN: ReadonlySet<string> = new Set([...BUSY, 'uploading', 'checked', 'failed']);

export function isBusy({ state }: ReportImport): boolean {
  return BUSY.has(state);
}

export function isOpen({ state }: ReportImport): boolean {
  return OPEN.has(state);
}

export function useImports() {
  const [answer, setAnswer] = useState<ImportsAnswer>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [shown, setShown] = useState(SHOWN);
  const load = useCallback(async () => {
    try {
      setAnswer(await ask<ImportsAnswer>(`/v1/imports?limit=${shown}`));
      setFailure(undefined);
    } catch (error) {
      setFailure(asFailure(error));
    }
  }, [shown]);
  const busy = answer?.data.some(isBusy) ?? false;
  useEffect(() => {
    void load();
    const timer = setInterval(() => void load(), busy ? BUSY_LOOK_MS : IDLE_LOOK_MS);
    return () => clearInterval(timer);
  }, [busy, load]);
  const showMore = () => setShown(Math.min(MAX_SHOWN, shown * 4));
  return { answer, failure, load, showMore };
}

/** Asks for a change, and shows what came of it. */
export async function act(
  path: string,
  question: { readonly method: 'POST' | 'PATCH' | 'DELETE'; readonly body?: unknown },
  load: () => Promise<void>,
): Promise<void> {
  try {
    await ask(`/v1/imports/${path}`, question);
  } catch (error) {
    showToast(explain(asFailure(error)), { isFailure: true });
  }
  await load();
}
