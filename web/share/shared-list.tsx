import type { ApiPath } from '../api/client.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { ListItem, ListItemsAnswer, Share } from '../api/wire.ts';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { RankTable } from './rank-table.tsx';

/** The items of a list stand on two pages at most. */
export function SharedList({ share }: { readonly share: Share }) {
  const pages = share.calls.filter((call) => call.includes('/items?')) as readonly ApiPath[];
  const first = useAnswer<ListItemsAnswer>(pages[0] ?? null);
  const hasMore = first.answer?.pagination.has_next === true;
  const second = useAnswer<ListItemsAnswer>(hasMore ? (pages[1] ?? null) : null);
  const failed = [first, second].find(({ failure }) => failure);
  if (failed?.failure) return <FailureNotice failure={failed.failure} onRetry={failed.reload} />;
  if (!first.answer || (hasMore && !second.answer)) return <Skeleton rows={8} height={48} />;
  const items = [...first.answer.data, ...(second.answer?.data ?? [])];
  return <RankTable rows={items.map(rowOf)} type="monthly" empty="This list is empty." />;
}

function rowOf({ id, value, tags, notes, keyword, product }: ListItem) {
  const remarks = [product?.title ?? '', tags.join(', '), notes];
  return {
    ...{ key: id, name: value, remark: remarks.filter((each) => each !== '').join(' · ') },
    ...{ history: keyword?.history ?? null, latest: keyword?.latest_rank ?? null, best: keyword?.best_rank ?? null },
  };
}
