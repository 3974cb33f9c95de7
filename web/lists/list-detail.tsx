// One list: what is in it as a table with ranks, and what can be done with it.
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import type { KeywordList, ListItem, ListItemsAnswer } from '../api/wire.ts';
import { addressOf, navigate, place } from '../app/location.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { ExportButton } from '../parts/export-button.tsx';
import { formatNumber } from '../parts/format.ts';
import { EmptyNotice, Skeleton } from '../parts/notices.tsx';
import { Popover } from '../parts/popover.tsx';
import { showToast } from '../parts/toast.tsx';
import { ShareButton } from '../share/share-button.tsx';
import { describeRule } from '../tracked/rule-words.ts';
import { explain, findTracked, loadTracked } from '../tracked/tracked-terms.ts';
import { DeleteButton } from './delete-button.tsx';
import { AddItems, ListForm } from './item-forms.tsx';
import { ItemGrid } from './item-grid.tsx';
import { addToList, attempt, countItems, loadLists } from './known-lists.ts';

/** As many as the service gives at once. */
const PAGE = 1000;
/** As many as can be tracked in one request. */
const MAX_TRACKED_AT_ONCE = 500;

export function ListDetail({ list }: { readonly list: KeywordList }) {
  const { items, fault, reload } = useItems(list.id);
  const [removed, setRemoved] = useState<readonly ListItem[]>([]);
  const change = async (work: () => Promise<unknown>) => {
    const isDone = await attempt(work);
    await Promise.all([reload(), loadLists()]);
    return isDone;
  };
  const remove = (gone: readonly ListItem[]) =>
    change(async () => {
      const ids = gone.map(({ id }) => id);
      await ask(`/v1/lists/${list.id}/items/remove`, { method: 'POST', body: { ids } });
      setRemoved(gone);
    });
  const tag = (tagged: readonly ListItem[], tags: object) =>
    change(async () => {
      const ids = tagged.map(({ id }) => id);
      await ask(`/v1/lists/${list.id}/items/tag`, { method: 'POST', body: { ids, ...tags } });
    });
  const putBack = () =>
    change(async () => {
      await addToList(list, removed.map(asNew));
      setRemoved([]);
    });
  return (
    <div class="lists-view">
      <ListHead list={list} items={items ?? []} onChange={change} />
      {list.notes !== '' && <p class="list-notes">{list.notes}</p>}
      {removed.length > 0 && (
        <p class="undo" role="status">
          Removed {formatNumber(removed.length)} {removed.length === 1 ? 'item' : 'items'}.{' '}
          <button type="button" class="link" onClick={putBack}>
            Undo
          </button>
        </p>
      )}
      {fault !== undefined && <p class="fault">{fault}</p>}
      {!items && fault === undefined && <Skeleton rows={8} height={48} />}
      {items?.length === 0 && (
        <EmptyNotice title="This list is empty.">
          <p>
            Paste keywords and ASINs with <b>Add items</b>.
          </p>
        </EmptyNotice>
      )}
      {items && items.length > 0 && <ItemGrid items={items} onRemove={remove} onTag={tag} onChange={change} />}
    </div>
  );
}

function asNew({ kind, value, tags, notes }: ListItem) {
  return { ...(kind === 'product' ? { asin: value } : { search_term: value }), tags, notes };
}

/** All of them: a list is short enough to be filtered and sorted here. */
function useItems(listId: string) {
  const [items, setItems] = useState<readonly ListItem[] | undefined>(undefined);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const reload = async () => {
    try {
      const all: ListItem[] = [];
      for (let total = 1; all.length < total; ) {
        const page = await ask<ListItemsAnswer>(`/v1/lists/${listId}/items?limit=${PAGE}&offset=${all.length}`);
        all.push(...page.data);
        total = page.data.length === 0 ? 0 : page.pagination.total_count;
      }
      setItems(all);
      setFault(undefined);
    } catch (error) {
      setFault(explain(asFailure(error)));
    }
  };
  useEffect(() => void reload(), [listId]);
  return { items, fault, reload };
}

interface ListHeadProps {
  readonly list: KeywordList;
  readonly items: readonly ListItem[];
  readonly onChange: (work: () => Promise<unknown>) => Promise<boolean>;
}

function ListHead({ list, items, onChange }: ListHeadProps) {
  const path = `/v1/lists/${list.id}` as const;
  const params = new URLSearchParams([...place.value.params].filter(([name]) => name === 'tag' || name === 'kind'));
  const remove = () =>
    attempt(async () => {
      await ask(path, { method: 'DELETE' });
      await loadLists();
      navigate(addressOf('/lists'));
    });
  return (
    <div class="view-head">
      <h1>
        <a href={addressOf('/lists')} data-view class="muted">
          Lists
        </a>{' '}
        / {list.name}
      </h1>
      <span class="muted">
        {countItems(list)}
        {list.priority_rule && ` · alerts: ${describeRule(list.priority_rule)}`}
      </span>
      <div class="view-tools">
        <Popover text="Add items" icon="plus" title="Add items" className="button is-primary" align="right">
          {(close) => <AddItems onAdd={(added) => onChange(() => addToList(list, added))} onDone={close} />}
        </Popover>
        <Popover text="Name and alert" icon="edit" title="Name, notes and alert" align="right">
          {(close) => (
            <ListForm
              list={list}
              onSave={(body) => onChange(() => ask(path, { method: 'PATCH', body }))}
              onDone={close}
            />
          )}
        </Popover>
        <TrackAll items={items} />
        <ExportButton path={path} params={params} count={items.length} />
        <ShareButton thing={{ list_id: list.id }} title={list.name} remark="Its notes and tags are shown too." />
        <CopyAs request={{ path: `${path}/items`, params }} />
        <DeleteButton
          name={list.name}
          warning={`“${list.name}” (${countItems(list)}) is deleted for everyone of your organization. What is tracked stays tracked.`}
          onDelete={remove}
        />
      </div>
    </div>
  );
}

/** The rule of a list alerts who tracks its keywords, so that it is one press from here. */
function TrackAll({ items }: { readonly items: readonly ListItem[] }) {
  const missing = items.filter(({ kind, value }) => kind === 'keyword' && !findTracked(value));
  if (missing.length === 0) return null;
  const track = () =>
    attempt(async () => {
      const keywords = missing.slice(0, MAX_TRACKED_AT_ONCE).map(({ value }) => ({ search_term: value }));
      await ask('/v1/tracked-keywords', {
        method: 'POST',
        body: { keywords },
        headers: { 'idempotency-key': crypto.randomUUID() },
      });
      showToast(`Tracking ${formatNumber(keywords.length)} more.`);
      await loadTracked();
    });
  return (
    <button type="button" class="button" title="Digests and alerts come for keywords that you track" onClick={track}>
      Track {formatNumber(missing.length)}
    </button>
  );
}
