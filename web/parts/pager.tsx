import type { Pagination } from '../api/wire.ts';
import { formatNumber } from './format.ts';
import { Icon } from './icons.tsx';

interface PagerProps {
  readonly pagination: Pagination;
  readonly onPage: (page: number) => void;
  readonly onPageSize: (size: number) => void;
}

const PAGE_SIZES = [50, 100, 250, 1000];

export function Pager({ pagination, onPage, onPageSize }: PagerProps) {
  const { current_page: page, page_size: size, total_count: total, total_pages: pages } = pagination;
  const first = (page - 1) * size + 1;
  const last = Math.min(page * size, total);
  return (
    <nav class="pager" aria-label="Pages">
      <button
        type="button"
        class="button is-icon"
        disabled={!pagination.has_previous}
        aria-label="Previous page"
        onClick={() => onPage(Math.min(page - 1, pages))}
      >
        <Icon name="left" />
      </button>
      <span class="pager-place">
        {first > total
          ? `${formatNumber(total)} in all`
          : `${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(total)}`}
        <span class="muted">
          {' '}
          · page {formatNumber(page)} of {formatNumber(pages)}
        </span>
      </span>
      <button
        type="button"
        class="button is-icon"
        disabled={!pagination.has_next}
        aria-label="Next page"
        onClick={() => onPage(page + 1)}
      >
        <Icon name="right" />
      </button>
      <label class="pager-size">
        <span class="muted">Rows</span>
        <select value={String(size)} onChange={(event) => onPageSize(Number(event.currentTarget.value))}>
          {[...new Set([...PAGE_SIZES, size])]
            .toSorted((a, b) => a - b)
            .map((each) => (
              <option key={each} value={String(each)}>
                {formatNumber(each)}
              </option>
            ))}
        </select>
      </label>
    </nav>
  );
}
