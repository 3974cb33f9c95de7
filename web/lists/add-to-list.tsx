// Puts keywords or products into a list that there is, or a new one.
import { useState } from 'preact/hooks';
import type { NewListItem } from '../api/wire.ts';
import { formatNumber } from '../parts/format.ts';
import { Popover } from '../parts/popover.tsx';
import { addToList, attempt, listsFailure, MAX_ADDED_AT_ONCE, makeList, useLists } from './known-lists.ts';
import { readTags, TagsField } from './tags-field.tsx';

interface AddToListProps {
  readonly items: readonly NewListItem[];
  readonly onDone?: () => void;
}

export function AddToList({ items, onDone }: AddToListProps) {
  return (
    <Popover text="Add to list" icon="list" title="Add to a list" align="right">
      {(close) => (
        <AddForm
          items={items}
          onDone={() => {
            close();
            onDone?.();
          }}
        />
      )}
    </Popover>
  );
}

const NEW_LIST = 'new';

function AddForm({ items, onDone }: AddToListProps) {
  const known = useLists();
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [name, setName] = useState('');
  const [tags, setTags] = useState('');
  if (listsFailure.value) return <p class="fault">{listsFailure.value.message}</p>;
  if (!known) return <p class="muted">Loading …</p>;
  const id = chosen ?? known[0]?.id ?? NEW_LIST;
  const isNew = id === NEW_LIST;
  const isTooMany = items.length > MAX_ADDED_AT_ONCE;
  const add = async (event: Event) => {
    event.preventDefault();
    const isDone = await attempt(async () => {
      const list = isNew ? await makeList(name.trim()) : known.find((each) => each.id === id);
      const tagged = items.map((item) => ({ ...item, tags: [...readTags(tags)] }));
      if (list) await addToList(list, tagged);
    });
    if (isDone) onDone?.();
  };
  return (
    <form class="name-form" onSubmit={add}>
      <label class="field">
        <span>List</span>
        <select value={id} onChange={(event) => setChosen(event.currentTarget.value)}>
          {known.map((list) => (
            <option key={list.id} value={list.id}>
              {list.name}
            </option>
          ))}
          <option value={NEW_LIST}>New list …</option>
        </select>
      </label>
      {isNew && (
        <label class="field">
          <span>Name of the new list</span>
          <input value={name} maxLength={100} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
      )}
      <TagsField label="Tags for those that are new in it" value={tags} onInput={setTags} />
      {isTooMany && <p class="fault">At most {formatNumber(MAX_ADDED_AT_ONCE)} at once.</p>}
      <button
        type="submit"
        class="button is-primary is-wide"
        disabled={items.length === 0 || isTooMany || (isNew && name.trim() === '')}
      >
        Add {formatNumber(items.length)}
      </button>
    </form>
  );
}
