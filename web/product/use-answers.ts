// Answers to several questions at once, each by itself.
import { useEffect, useState } from 'preact/hooks';
import { type ApiFailure, type ApiPath, read, recall } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';

export interface Answered<T> {
  readonly answer: T | undefined;
  readonly failure: ApiFailure | undefined;
}

export function useAnswers<T>(paths: readonly ApiPath[]): {
  readonly answers: readonly Answered<T>[];
  readonly reload: () => void;
} {
  const [failures, setFailures] = useState<ReadonlyMap<ApiPath, ApiFailure>>(new Map());
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const settle = () => isCurrent && setRound((count) => count + 1);
    for (const path of paths) {
      if (recall(path) !== undefined || failures.has(path)) continue;
      read<T>(path).then(settle, (error: unknown) => {
        if (isCurrent) setFailures((before) => new Map(before).set(path, asFailure(error)));
      });
    }
    return () => {
      isCurrent = false;
    };
  }, [paths.join(' '), round, failures]);
  return {
    answers: paths.map((path) => ({ answer: recall<T>(path), failure: failures.get(path) })),
    reload: () => setFailures(new Map()),
  };
}
