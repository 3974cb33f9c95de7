// Forms of a list: what is added by pasting, its name and its alert, the tags and notes of an item.
import { useState } from 'preact/hooks';
import type { KeywordList, ListItem, NewListItem } from '../api/wire.ts';
import { formatNumber } from '../parts/format.ts';
import { parseTerms } from '../parts/pasted-terms.ts';
import { RuleLine, useRule } from '../tracked/priority-rule.tsx';
import { describeRule } from '../tracked/rule-words.ts';
import { itemOf, MAX_ADDED_AT_ONCE } from './known-lists.ts';
import { readTags, TagsField } from './tags-field.tsx';

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

/** Of several items at once; what they are tagged with already stays. */
export function TagForm({ count, known, onSave, onDone }: TagFormProps) {
  const [added, setAdded] = useState('');
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const add = readTags(added);
  const save = async (event: Event) => {
    event.preventDefault();
    if (await onSave({ add, remove: removed })) onDone();
  };
  return (
    <form class="name-form" onSubmit={save}>
      <TagsField label="Add tags, with commas between them" value={added} onInput={setAdded} />
      {known.length > 0 && (
        <fieldset class="tag-choice">
          <legend>Remove tags</legend>
          {known.map((tag) => (
            <label key={tag} class="check">
              <input
                type="checkbox"
                checked={removed.includes(tag)}
                onChange={(event) =>
                  setRemoved(event.currentTarget.checked ? [...removed, tag] : removed.filter((each) => each !== tag))
                }
              />
              <span>{tag}</span>
            </label>
          ))}
        </fieldset>
      )}
      <button type="submit" class="button is-primary is-wide" disabled={add.length + removed.length === 0}>
        Change {formatNumber(count)} {count === 1 ? 'item' : 'items'}
      </button>
    </form>
  );
}

interface TagFormProps extends FormProps<object> {
  /** Of the items. */
  readonly count: number;
  /** The tags that they have. */
  readonly known: readonly string[];
}

export function ItemForm({ item, onSave, onDone }: FormProps<object> & { readonly item: ListItem }) {
  const [tags, setTags] = useState(item.tags.join(', '));
  const [notes, setNotes] = useState(item.notes);
  const save = async (event: Event) => {
    event.preventDefault();
    if (await onSave({ tags: readTags(tags), notes })) onDone();
  };
  return (
    <form class="name-form" onSubmit={save}>
      <TagsField label="Tags, with commas between them" value={tags} onInput={setTags} />
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
