// Forms of a list: what is added by pasting, its name and its alert, the tags and notes of an item.
import { useState } from 'preact/hooks';
import type { KeywordList, ListItem, NewListItem } from '../api/wire.ts';
import { formatNumber } from '../parts/format.ts';
import { parseTerms } from '../parts/pasted-terms.ts';
import { RuleLine, useRule } from '../tracked/priority-rule.tsx';
import { describeRule } from '../tracked/rule-words.ts';
import { itemOf, MAX_ADDED_AT_ONCE } from './known-lists.ts';

const MAX_NOTES = 1000;
const FIRST_RULE = { field: 'latest_rank', operator: 'lt', value: 1000 } as const;

interface FormProps<Body> {
  /** False leaves the form open: what went wrong is said elsewhere. */
  readonly onSave: (body: Body) => Promise<boolean>;
  readonly onDone: () => void;
}

export function AddItems({
  onAdd,
  onDone,
}: {
  readonly onAdd: (items: readonly NewListItem[]) => Promise<boolean>;
  readonly onDone: () => void;
}) {
  const [text, setText] = useState('');
  const [isRunning, setRunning] = useState(false);
  const terms = parseTerms(text);
  const isTooMany = terms.length > MAX_ADDED_AT_ONCE;
  const add = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    const isDone = await onAdd(terms.map(itemOf));
    setRunning(false);
    if (isDone) onDone();
  };
  return (
    <form class="bulk-form" onSubmit={add}>
      <label class="field">
        <span>One keyword or ASIN per line</span>
        <textarea
          rows={9}
          value={text}
          placeholder={'running shoes\nB0DDBYMN4X\n…'}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {isTooMany && <p class="fault">At most {formatNumber(MAX_ADDED_AT_ONCE)} at once. Paste the rest after these.</p>}
      <button type="submit" class="button is-primary is-wide" disabled={terms.length === 0 || isTooMany || isRunning}>
        {isRunning ? 'Adding …' : terms.length === 0 ? 'Add' : `Add ${formatNumber(terms.length)}`}
      </button>
    </form>
  );
}

export function ListForm({ list, onSave, onDone }: FormProps<object> & { readonly list: KeywordList }) {
  const [name, setName] = useState(list.name);
  const [notes, setNotes] = useState(list.notes);
  const [hasRule, setHasRule] = useState(list.priority_rule !== null);
  const rule = useRule(list.priority_rule ?? FIRST_RULE);
  const save = async (event: Event) => {
    event.preventDefault();
    const body = { name: name.trim(), notes, priority_rule: hasRule ? rule.typed : null };
    if (await onSave(body)) onDone();
  };
  return (
    <form class="name-form rule-form" onSubmit={save}>
      <label class="field">
        <span>Name</span>
        <input value={name} maxLength={100} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>Notes</span>
        <textarea
          rows={3}
          value={notes}
          maxLength={MAX_NOTES}
          onInput={(event) => setNotes(event.currentTarget.value)}
        />
      </label>
      <label class="check">
        <input type="checkbox" checked={hasRule} onChange={(event) => setHasRule(event.currentTarget.checked)} />
        <span>Alert whoever tracks a keyword of this list when a new period comes and its</span>
      </label>
      {hasRule && (
        <>
          <RuleLine rule={rule} />
          {rule.isNumber && (
            <p class="rule-meaning muted">
              Alerts when: <b>{describeRule(rule.typed)}</b>. Keywords with an alert of their own follow that one.
            </p>
          )}
        </>
      )}
      <button
        type="submit"
        class="button is-primary is-wide"
        disabled={name.trim() === '' || (hasRule && !rule.isNumber)}
      >
        Save
      </button>
    </form>
  );
}

export function ItemForm({ item, onSave, onDone }: FormProps<object> & { readonly item: ListItem }) {
  const [tags, setTags] = useState(item.tags.join(', '));
  const [notes, setNotes] = useState(item.notes);
  const save = async (event: Event) => {
    event.preventDefault();
    const words = tags.split(',').map((tag) => tag.trim());
    if (await onSave({ tags: words.filter((tag) => tag !== ''), notes })) onDone();
  };
  return (
    <form class="name-form" onSubmit={save}>
      <label class="field">
        <span>Tags, with commas between them</span>
        <input value={tags} placeholder="core, winter" onInput={(event) => setTags(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>Notes</span>
        <textarea
          rows={3}
          value={notes}
          maxLength={MAX_NOTES}
          onInput={(event) => setNotes(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button is-primary is-wide">
        Save
      </button>
    </form>
  );
}
