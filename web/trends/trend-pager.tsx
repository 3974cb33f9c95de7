import type { Pagination } from '../api/wire.ts';
import { changeParams } from '../app/location.ts';
import { Pager } from '../parts/pager.tsx';
import { goToPage } from './trend-params.ts';

export function TrendPager({ pagination }: { readonly pagination: Pagination }) {
  if (pagination.total_count === 0) return null;
  return (
    <Pager
      pagination={pagination}
      onPage={(page) => goToPage(page, pagination)}
      onPageSize={(size) => changeParams({ limit: String(size), offset: null })}
    />
  );
}
