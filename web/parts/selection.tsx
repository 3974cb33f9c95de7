// Picked keywords of a list. They stay picked from page to page and under every order, until another list takes its place.
import { useEffect, useRef, useState } from 'preact/hooks';

export interface Selection {
  readonly terms: ReadonlySet<string>;
  readonly isPicked: (index: number) => boolean;
  readonly nameOf: (index: number) => string;
  /** Picks or drops a row; a range does with all rows since the last one what is done with this one. */
  readonly pick: (index: number, options: { readonly isRange: boolean }) => void;
  /** All rows of the page, or none of them when all are picked. */
  readonly pickPage: () => void;
  /** How many rows of this page are picked, of how many. */
  readonly onPage: { readonly count: number; readonly total: number };
  readonly clear: () => void;
}

/** `subject` is what the list is about: with another one nothing is picked. */
export function useSelection(page: readonly string[], subject: string): Selection {
  const [terms, setTerms] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  const clear = () => {
    last.current = null;
    setTerms(new Set());
  };
  useEffect(clear, [subject]);
  const set = (changed: readonly string[], isPicked: boolean) => {
    setTerms((before) => {
      const after = new Set(before);
      for (const term of changed) isPicked ? after.add(term) : after.delete(term);
      return after;
    });
  };
  const count = page.filter((term) => terms.has(term)).length;
  return {
    terms,
    isPicked: (index) => terms.has(page[index] ?? ''),
    nameOf: (index) => page[index] ?? '',
    pick: (index, { isRange }) => {
      const term = page[index];
      if (term === undefined) return;
      const from = isRange && last.current !== null ? page.indexOf(last.current) : -1;
      const [low, high] = from < 0 ? [index, index] : [Math.min(from, index), Math.max(from, index)];
      // A range picks; only a single row that was picked is dropped.
      set(page.slice(low, high + 1), from >= 0 || !terms.has(term));
      last.current = term;
    },
    pickPage: () => set(page, count < page.length),
    onPage: { count, total: page.length },
    clear,
  };
}

export function PickAll({ selection }: { readonly selection: Selection }) {
  const { count, total } = selection.onPage;
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = count > 0 && count < total;
  });
  return (
    <label class="pick">
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all rows of this page"
        checked={count > 0 && count === total}
        onChange={selection.pickPage}
      />
    </label>
  );
}

export function PickRow({ selection, index }: { readonly selection: Selection; readonly index: number }) {
  return (
    <label class="pick">
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`Select ${selection.nameOf(index)}`}
        checked={selection.isPicked(index)}
        onClick={(event) => selection.pick(index, { isRange: event.shiftKey })}
      />
    </label>
  );
}
