import { formatNumber } from './format.ts';

/** A move in ranks: arrow, size, and colour for those who see it. */
export function Change({ value }: { readonly value: number | null | undefined }) {
  if (value === undefined || value === null) {
    return (
      <span class="change">
        <span aria-hidden="true">–</span>
        <span class="spoken">not ranked in both periods</span>
      </span>
    );
  }
  const tone = value > 0 ? 'is-up' : value < 0 ? 'is-down' : '';
  return (
    <span class={`change ${tone}`}>
      <span class="change-arrow" aria-hidden="true">
        {value > 0 ? '▲' : value < 0 ? '▼' : ''}
      </span>
      <span class="spoken">{value > 0 ? 'up ' : value < 0 ? 'down ' : 'unchanged '}</span>
      <span>{value === 0 ? '0' : formatNumber(Math.abs(value))}</span>
    </span>
  );
}
