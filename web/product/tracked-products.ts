// Which products the reader tracks.
import { computed, signal } from '@preact/signals';
import { ask, forgetAnswers } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { TrackedProduct, TrackedProductsAnswer } from '../api/wire.ts';
import { apiKey } from '../app/session.ts';
import { showToast } from '../parts/toast.tsx';
import { explain } from '../tracked/tracked-terms.ts';

const PATH = '/v1/tracked-products';

/** Undefined until the list has come. */
export const trackedProducts = signal<readonly TrackedProduct[] | undefined>(undefined);
const pending = signal<ReadonlySet<string>>(new Set());

apiKey.subscribe(() => {
  trackedProducts.value = undefined;
});

const byAsin = computed(() => new Map((trackedProducts.value ?? []).map((each) => [each.asin, each])));

export function findTrackedProduct(asin: string): TrackedProduct | undefined {
  return byAsin.value.get(asin);
}

/** Also while it is not known whether it is tracked. */
export function isProductPending(asin: string): boolean {
  return trackedProducts.value === undefined || pending.value.has(asin);
}

export async function loadTrackedProducts(): Promise<void> {
  forgetAnswers(PATH);
  const key = apiKey.value;
  const { data } = await ask<TrackedProductsAnswer>(PATH);
  if (key === apiKey.value) trackedProducts.value = data;
}

export async function toggleTrackedProduct(asin: string): Promise<void> {
  if (isProductPending(asin)) return;
  pending.value = new Set([...pending.value, asin]);
  try {
    const known = findTrackedProduct(asin);
    if (known) await ask(`${PATH}/${known.id}`, { method: 'DELETE' });
    else await ask(PATH, { method: 'POST', body: { asin } });
    await loadTrackedProducts();
    showToast(
      known ? `No longer tracking ${asin}.` : `Tracking ${asin}: digests tell which keywords it wins and loses.`,
    );
  } catch (error) {
    showToast(explain(asFailure(error)), { isFailure: true });
  }
  pending.value = new Set([...pending.value].filter((each) => each !== asin));
}
