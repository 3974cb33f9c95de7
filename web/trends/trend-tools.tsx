// What every list of trends has beside its filters: a file of all its rows, and the request behind it.
import type { ApiPath } from '../api/client.ts';
import type { Frequency, Pagination } from '../api/wire.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { ExportButton } from '../parts/export-button.tsx';
import { DetailsButton, hasDetails } from './keyword-details.tsx';

interface TrendToolsProps {
  readonly path: ApiPath;
  readonly params: URLSearchParams;
  readonly type: Frequency;
  readonly page: { readonly data: readonly { readonly query: string }[]; readonly pagination: Pagination } | undefined;
}

export function TrendTools({ path, params, type, page }: TrendToolsProps) {
  return (
    <div class="trend-tools">
      {page && page.data.length > 0 && (
        <>
          <DetailsButton
            text="History and products"
            terms={page.data.map(({ query }) => query)}
            type={type}
            shown={hasDetails}
          />
          <ExportButton path={path} params={params} count={page.pagination.total_count} />
        </>
      )}
      <CopyAs request={{ path, params }} />
    </div>
  );
}

/** A list, wherever one looks in it. */
export function subjectOf(path: string, params: URLSearchParams): string {
  const subject = new URLSearchParams(params);
  for (const name of ['limit', 'offset', 'order_by', 'order_direction']) subject.delete(name);
  return `${path}?${subject}`;
}
