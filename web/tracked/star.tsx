import { Icon } from '../parts/icons.tsx';
import { findTracked, isPending, toggleTracked } from './tracked-terms.ts';

/** Tracks a keyword, or stops to. */
export function Star({ term, hasText = false }: { readonly term: string; readonly hasText?: boolean }) {
  const isTracked = findTracked(term) !== undefined;
  return (
    <button
      type="button"
      class={hasText ? 'button star has-text' : 'star'}
      tabIndex={hasText ? 0 : -1}
      aria-pressed={isTracked}
      aria-label={hasText ? undefined : `Track ${term}`}
      title={isTracked ? 'Stop tracking' : 'Track this keyword'}
      disabled={isPending(term)}
      onClick={() => toggleTracked(term)}
    >
      <Icon name="star" isFilled={isTracked} />
      {hasText && <span>{isTracked ? 'Tracked' : 'Track'}</span>}
    </button>
  );
}
