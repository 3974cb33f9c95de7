// What the organization keeps together: lists, and saved searches. With `list` in the address one list is open.
import { ask } from '../api/client.ts';
import type { KeywordList } from '../api/wire.ts';
import { addressOf, navigate, place } from '../app/location.ts';
import { CopyAs } from '../parts/copy-as.tsx';
import { Icon } from '../parts/icons.tsx';
import { EmptyNotice, FailureNotice, Skeleton } from '../parts/notices.tsx';
import { Popover } from '../parts/popover.tsx';
import { ShareList } from '../share/share-list.tsx';
import { describeRule } from '../tracked/rule-words.ts';
import { DeleteButton } from './delete-button.tsx';
import { attempt, countItems, listsFailure, loadLists, makeList, useLists } from './known-lists.ts';
import { ListDetail } from './list-detail.tsx';
import { NameForm } from './name-form.tsx';
import { SavedSearchList } from './saved-search-list.tsx';
import '../styles/lists.css';

export function ListsView() {
  const known = useLists();
  const open = place.value.params.get('list');
  if (open !== null) {
    const list = known?.find(({ id }) => id === open);
    if (list) return <ListDetail key={open} list={list} />;
    return known ? <NoSuchList /> : <Skeleton rows={8} />;
  }
  return (
    <div class="lists-view">
      <div class="view-head">
        <h1>Lists</h1>
        <div class="view-tools">
          <NewList />
          <CopyAs request={{ path: '/v1/lists' }} />
        </div>
      </div>
      <div class="lists-columns">
        <section class="panel" aria-label="Lists">
          <header class="panel-head">
            <h2>Keywords and products</h2>
          </header>
          {listsFailure.value && <FailureNotice failure={listsFailure.value} onRetry={loadLists} />}
          {!known && !listsFailure.value && <Skeleton rows={4} height={48} />}
          {known?.length === 0 && <NoLists />}
          <ul class="shared-list">
            {known?.map((list) => (
              <ListRow key={list.id} list={list} />
            ))}
          </ul>
        </section>
        <SavedSearchList />
        <ShareList />
      </div>
    </div>
  );
}

export function addressOfList(id: string): string {
  return addressOf('/lists', { list: id });
}

function NewList() {
  return (
    <Popover text="New list" icon="plus" title="Make a list" className="button is-primary" align="right">
      {(close) => (
        <NameForm
          label="Name of the list"
          action="Make the list"
          onName={(name) => attempt(async () => navigate(addressOfList((await makeList(name)).id)))}
          onDone={close}
        />
      )}
    </Popover>
  );
}

function NoLists() {
  return (
    <p class="muted">
      A list holds keywords and products that belong together: a product line, a campaign, competitors. Everyone of your
      organization sees it. Make one with <b>New list</b>.
    </p>
  );
}

function NoSuchList() {
  return (
    <EmptyNotice title="There is no such list.">
      <p>
        It was deleted, or belongs to another organization.{' '}
        <a href={addressOf('/lists')} data-view>
          All lists
        </a>
      </p>
    </EmptyNotice>
  );
}

function ListRow({ list }: { readonly list: KeywordList }) {
  const remove = () =>
    attempt(async () => {
      await ask(`/v1/lists/${list.id}`, { method: 'DELETE' });
      await loadLists();
    });
  return (
    <li>
      <span class="shared-name">
        <a href={addressOfList(list.id)} data-view>
          {list.name}
        </a>
        <small class="muted">
          {[countItems(list), list.notes].filter(Boolean).join(' · ')}
          {list.priority_rule && (
            <>
              {' · '}
              <Icon name="bell" /> {describeRule(list.priority_rule)}
            </>
          )}
        </small>
      </span>
      <DeleteButton
        name={list.name}
        warning={`“${list.name}” (${countItems(list)}) is deleted for everyone of your organization. What is tracked stays tracked.`}
        onDelete={remove}
      />
    </li>
  );
}
