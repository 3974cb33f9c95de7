import type { ComponentChildren } from 'preact';
import type { Pagination } from '../api/wire.ts';
import { EmptyNotice } from '../parts/notices.tsx';
import { clearTrendFilters, hasTrendFilters } from './trend-filters.tsx';
import { goToPage } from './trend-params.ts';

interface EmptyTrendProps {
  readonly pagination: Pagination;
  readonly title: string;
  /** Why, where neither the page nor the filters are the reason. */
  readonly children: ComponentChildren;
}

/** Why a list has no rows, and the way out. */
export function EmptyTrend({ pagination, title, children }: EmptyTrendProps) {
  if (pagination.total_count > 0) {
    return (
      <EmptyNotice title="This page is past the end.">
        <p>
          <button type="button" class="button is-primary" onClick={() => goToPage(1, pagination)}>
            Go to the first page
          </button>
        </p>
      </EmptyNotice>
    );
  }
  if (!hasTrendFilters()) return <EmptyNotice title={title}>{children}</EmptyNotice>;
  return (
    <EmptyNotice title="The filters leave no keyword.">
      <p>
        <button type="button" class="button is-primary" onClick={clearTrendFilters}>
          Clear filters
        </button>
      </p>
    </EmptyNotice>
  );
}
