// The keywords of the keyword view, as far as they are known, and the asking for the rest.
import { useEffect, useState } from 'preact/hooks';
import { type ApiFailure, type ApiPath, read, recall } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { Frequency, KeywordAnswer, SearchResult } from '../api/wire.ts';
import { marketplaceParams } from '../app/location.ts';
import { findRow, keepRow } from './known-rows.ts';

export const MAX_COMPARED = 5;

/** A keyword of the comparison as far as it is known. */
export interface ComparedKeyword {
  readonly term: string;
  readonly row: SearchResult | undefined;
  readonly detail: KeywordAnswer['data'] | undefined;
  readonly failure: ApiFailure | undefined;
  readonly isLoading: boolean;
}

export type KeywordState = 'ranked' | 'loading' | 'failed' | 'other frequency' | 'unknown';

/** What can be said of a keyword at one frequency. */
export function stateOf({ row, isLoading, failure, detail }: ComparedKeyword): KeywordState {
  if (row) return 'ranked';
  if (isLoading) return 'loading';
  if (failure || !detail) return 'failed';
  return detail.monthly || detail.weekly ? 'other frequency' : 'unknown';
}

function pathOf(term: string): ApiPath {
  return `/v1/search/keyword?${new URLSearchParams({ term, ...marketplaceParams() })}`;
}

/**
 * The first keyword is asked for in full. The others need their ranks alone, so a row that is at hand will do and nothing is
 * spent.
 */
export function useKeywords(terms: readonly string[], type: Frequency) {
  const [failures, setFailures] = useState<ReadonlyMap<string, ApiFailure>>(new Map());
  const [round, setRound] = useState(0);
  const wanted = terms.filter((term, i) => i === 0 || !findRow(term, type));
  const wantedKey = JSON.stringify(wanted);

  // The key stands for the terms, the round for asking again.
  useEffect(() => {
    let isCurrent = true;
    for (const term of wanted) {
      if (recall(pathOf(term)) !== undefined || failures.has(term)) continue;
      read<KeywordAnswer>(pathOf(term)).then(
        ({ data }) => {
          if (data.monthly) keepRow(data.monthly, 'monthly');
          if (data.weekly) keepRow(data.weekly, 'weekly');
          if (isCurrent) setRound((count) => count + 1);
        },
        (error: unknown) => isCurrent && setFailures((before) => new Map(before).set(term, asFailure(error))),
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [wantedKey, round]);

  const keywords = terms.map((term): ComparedKeyword => {
    const detail = recall<KeywordAnswer>(pathOf(term))?.data;
    const row = detail?.[type] ?? findRow(term, type);
    const failure = failures.get(term);
    return { term, row, detail, failure, isLoading: !detail && !failure && wanted.includes(term) };
  });
  const retry = (term: string) => {
    setFailures((before) => new Map([...before].filter(([each]) => each !== term)));
    setRound((count) => count + 1);
  };
  return { keywords, retry };
}
