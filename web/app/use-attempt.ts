import { useState } from 'preact/hooks';
import type { ApiFailure } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';

/** Runs what may be refused, and keeps in one sentence or two why it was. */
export function useAttempt(onFailure: (failure: ApiFailure) => void = () => {}) {
  const [fault, setFault] = useState<string | null>(null);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setFault(null);
    try {
      await work();
    } catch (error) {
      const failure = asFailure(error);
      setFault(`${failure.message} ${failure.hint ?? ''}`.trim());
      onFailure(failure);
    }
  };
  return { fault, attempt };
}
