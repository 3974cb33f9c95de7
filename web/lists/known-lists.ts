// The lists that the organization shares, known to every view that shows or fills them. They are asked for when one first does.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiFailure, ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { KeywordList, ListsAnswer, NewListItem } from '../api/wire.ts';
import { apiKey } from '../app/session.ts';
import { formatNumber } from '../parts/format.ts';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';

const PATH = '/v1/lists';
/** As many as the service takes in one request. */
export const MAX_ADDED_AT_ONCE = 1000;
const ASIN = /^B0[A-Z0-9]{8}$/i;

/** Undefined until they have come. */
export const lists = signal<readonly KeywordList[] | undefined>(undefined);
export const listsFailure = signal<ApiFailure | undefined>(undefined);

apiKey.subscribe(() => {
  lists.value = undefined;
  listsFailure.value = undefined;
});

export async function loadLists(): Promise<void> {
  try {
    lists.value = (await ask<ListsAnswer>(`${PATH}?limit=1000`)).data;
    listsFailure.value = undefined;
  } catch (error) {
    listsFailure.value = asFailure(error);
  }
}

/** Asked for again with every view that needs them: colleagues change them too. */
export function useLists(): readonly KeywordList[] | undefined {
  useEffect(() => void loadLists(), []);
  return lists.value;
}

export async function makeList(name: string): Promise<KeywordList> {
  const { data } = await ask<{ readonly data: KeywordList }>(PATH, {
    method: 'POST',
    body: { name },
    headers: { 'idempotency-key': crypto.randomUUID() },
  });
  await loadLists();
  return data;
}

/** Says how many are new. */
export async function addToList(list: Pick<KeywordList, 'id' | 'name'>, items: readonly NewListItem[]): Promise<void> {
  const answer = await ask<{ readonly created_count: number; readonly existing_count: number }>(
    `${PATH}/${list.id}/items`,
    { method: 'POST', body: { items }, headers: { 'idempotency-key': crypto.randomUUID() } },
  );
  const { created_count: added, existing_count: known } = answer;
  const remark = known > 0 ? `; ${formatNumber(known)} were there already` : '';
  showToast(`Added ${formatNumber(added)} to “${list.name}”${remark}.`);
  await loadLists();
}

/** "3 keywords, 1 product". */
export function countItems({ keyword_count: keywords, product_count: products }: KeywordList): string {
  const count = (number: number, unit: string) => `${formatNumber(number)} ${unit}${number === 1 ? '' : 's'}`;
  const parts = [
    ...(keywords > 0 ? [count(keywords, 'keyword')] : []),
    ...(products > 0 ? [count(products, 'product')] : []),
  ];
  return parts.join(', ') || 'empty';
}

/** A line that is an ASIN is a product, every other a keyword. */
export function itemOf(text: string): NewListItem {
  return ASIN.test(text) ? { asin: text } : { search_term: text };
}

/** Does what changes something; says what went wrong, and whether it went well. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    showToast(explain(asFailure(error)), { isFailure: true });
    return false;
  }
}
