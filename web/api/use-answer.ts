import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { ApiFailure, type ApiPath, forgetAnswers, read, recall } from './client.ts';

export interface AnswerState<T> {
  /** The answer, or the one to the question before while the new one is on its way. */
  readonly answer: T | undefined;
  readonly failure: ApiFailure | undefined;
  readonly isLoading: boolean;
  /** Asks again, past what was kept. */
  readonly reload: () => void;
}

interface Settled<T> {
  readonly path: ApiPath | null;
  readonly answer: T | undefined;
  readonly failure: ApiFailure | undefined;
}

/** The answer to a GET. Null asks nothing. What is kept is there in the first frame. */
export function useAnswer<T>(path: ApiPath | null): AnswerState<T> {
  const [settled, setSettled] = useState<Settled<T>>({ path: null, answer: undefined, failure: undefined });
  const [round, setRound] = useState(0);
  const known = path === null ? undefined : recall<T>(path);

  // Before the first paint, which a busy machine takes a while for.
  useLayoutEffect(() => {
    if (path === null) return;
    let isCurrent = true;
    read<T>(path).then(
      (answer) => isCurrent && setSettled({ path, answer, failure: undefined }),
      (error: unknown) =>
        isCurrent && setSettled((before) => ({ path, answer: before.answer, failure: asFailure(error) })),
    );
    return () => {
      isCurrent = false;
    };
  }, [path, round]);

  const reload = useCallback(() => {
    if (path === null) return;
    forgetAnswers(path);
    setSettled((before) => ({ ...before, path: null, failure: undefined }));
    setRound((count) => count + 1);
  }, [path]);

  const isSettled = settled.path === path;
  return {
    answer: path === null ? undefined : (known ?? settled.answer),
    failure: isSettled && known === undefined ? settled.failure : undefined,
    isLoading: path !== null && known === undefined && !isSettled,
    reload,
  };
}

export function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure(0, { code: 'DEFECT', message: error instanceof Error ? error.message : String(error) });
}
