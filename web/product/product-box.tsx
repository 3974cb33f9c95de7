// Where products are added: by ASINs or links, one or many, in any form.
import { useState } from 'preact/hooks';
import { changeParams } from '../app/location.ts';
import { usePeriodsAnswer } from '../parts/periods.ts';
import { showToast } from '../parts/toast.tsx';
import { MAX_PRODUCTS, readPastedProducts } from './pasted-products.ts';

export function ProductBox({ asins }: { readonly asins: readonly string[] }) {
  const [text, setText] = useState('');
  const { answer } = usePeriodsAnswer();
  const isFull = asins.length >= MAX_PRODUCTS;
  const submit = (event: Event) => {
    event.preventDefault();
    const pasted = readPastedProducts(text, answer?.marketplace);
    if (!pasted) return showToast('This is no ASIN and no link to a product.', { isFailure: true });
    const all = [...new Set([...asins, ...pasted.asins])];
    if (all.length > MAX_PRODUCTS)
      showToast(`${MAX_PRODUCTS} products at most: ${all.length - MAX_PRODUCTS} left out.`);
    setText('');
    changeParams({ asin: all.slice(0, MAX_PRODUCTS), page: null });
  };
  const label = asins.length === 0 ? 'ASINs or links' : 'Compare with products';
  return (
    <form class="product-box" onSubmit={submit}>
      {/* One line to look at, and all lines of what is pasted. */}
      <textarea
        rows={1}
        aria-label={label}
        placeholder={
          isFull ? `${MAX_PRODUCTS} at most: remove one` : asins.length === 0 ? 'ASIN or link' : 'Compare with ASINs …'
        }
        value={text}
        disabled={isFull}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && !event.shiftKey && submit(event)}
      />
      <button type="submit" class="button" disabled={isFull || text.trim() === ''}>
        {asins.length === 0 ? 'Open' : 'Add'}
      </button>
    </form>
  );
}
