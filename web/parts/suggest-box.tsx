// A text box that suggests terms while one types. What is typed lives in here, so that a keystroke redraws nothing else, and a
// question to the service is dropped as soon as the next letter comes.
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import type { Frequency, SuggestionsAnswer } from '../api/wire.ts';
import { marketplaceParams } from '../app/location.ts';
import { Icon } from './icons.tsx';

interface SuggestBoxProps {
  readonly label: string;
  readonly placeholder: string;
  /** What the box shows when it changes from outside. */
  readonly text: string;
  readonly type: Frequency;
  readonly onSubmit: (text: string) => void;
  /** What stands in the box instead of a text that is pasted, if anything: a box has one line, and an end. */
  readonly onPasted?: (text: string) => string | undefined;
  readonly className?: string;
  /** Whether the key `/` leads here. */
  readonly isMain?: boolean;
  readonly isDisabled?: boolean;
  readonly clearsOnSubmit?: boolean;
}

const PAUSE_MS = 70;

export function SuggestBox(props: SuggestBoxProps) {
  const { label, placeholder, text, onSubmit, className = '', isMain = false, isDisabled = false } = props;
  const [typed, setTyped] = useState(text);
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const terms = useSuggestions(typed, { type: props.type, isAsked: isOpen });
  const isListed = isOpen && terms.length > 0;

  useEffect(() => setTyped(text), [text]);
  useSlashKey(input, isMain);

  const submit = (value: string) => {
    setOpen(false);
    setChosen(-1);
    if (value.trim() === '') return;
    setTyped(props.clearsOnSubmit ? '' : value);
    onSubmit(value.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') submit(isListed ? (terms[chosen] ?? typed) : typed);
    else if (event.key === 'Escape') setOpen(false);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      // One place besides the list is the text itself.
      if (terms.length > 0) setChosen(((chosen + 1 + step + terms.length + 1) % (terms.length + 1)) - 1);
    } else return;
    event.preventDefault();
  };

  return (
    <div class={`suggest ${className}`}>
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={isListed}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={isListed && chosen >= 0 ? `${id}-${chosen}` : undefined}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={256}
        placeholder={placeholder}
        disabled={isDisabled}
        value={chosen >= 0 && isListed ? (terms[chosen] ?? typed) : typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(-1);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
        onPaste={(event) => replacePasted(event, { onPasted: props.onPasted, setTyped })}
        onBlur={() => setOpen(false)}
      />
      {isMain && !isDisabled && (
        <span class="key-hint" aria-hidden="true">
          /
        </span>
      )}
      <SuggestionList id={id} terms={isListed ? terms : []} typed={typed} chosen={chosen} onChoose={submit} />
    </div>
  );
}

/** What is pasted stands in the place of what was selected. */
function replacePasted(
  event: ClipboardEvent,
  { onPasted, setTyped }: { onPasted: SuggestBoxProps['onPasted']; setTyped: (text: string) => void },
): void {
  const replacement = onPasted?.(event.clipboardData?.getData('text') ?? '');
  if (replacement === undefined) return;
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = event.currentTarget as HTMLInputElement;
  const [before, after] = [value.slice(0, selectionStart ?? value.length), value.slice(selectionEnd ?? value.length)];
  setTyped([before.trim(), replacement, after.trim()].filter(Boolean).join(' '));
}

interface SuggestionListProps {
  readonly id: string;
  readonly terms: readonly string[];
  readonly typed: string;
  readonly chosen: number;
  readonly onChoose: (term: string) => void;
}

/** Stays in the document while it is empty, so that what the box controls is always there. */
function SuggestionList({ id, terms, typed, chosen, onChoose }: SuggestionListProps) {
  return (
    <div
      class={terms.length > 0 ? 'suggest-list' : 'suggest-list is-hidden'}
      id={id}
      role="listbox"
      aria-label="Suggestions"
    >
      {terms.map((term, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the box hears the keys.
        <div
          key={term}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === chosen}
          // The box keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(term)}
        >
          <SuggestedTerm term={term} typed={typed} />
        </div>
      ))}
    </div>
  );
}

/** What was typed stands light, what would be added stands out. */
function SuggestedTerm({ term, typed }: { readonly term: string; readonly typed: string }) {
  const at = term.toLowerCase().indexOf(typed.trim().toLowerCase());
  if (at < 0) return <span>{term}</span>;
  const end = at + typed.trim().length;
  return (
    <span>
      <b>{term.slice(0, at)}</b>
      {term.slice(at, end)}
      <b>{term.slice(end)}</b>
    </span>
  );
}

function useSuggestions(
  typed: string,
  { type, isAsked }: { readonly type: Frequency; readonly isAsked: boolean },
): readonly string[] {
  const [terms, setTerms] = useState<readonly string[]>([]);
  useEffect(() => {
    const text = typed.trim();
    if (!isAsked || text === '') return setTerms([]);
    const left = new AbortController();
    const timer = setTimeout(() => {
      const params = new URLSearchParams({ query: text, type, ...marketplaceParams() });
      ask<SuggestionsAnswer>(`/v1/search/suggestions?${params}`, { signal: left.signal }).then(
        ({ data }) => setTerms(data.map((each) => each.search_term)),
        // A box without suggestions is still a box.
        () => {},
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [typed, type, isAsked]);
  return terms;
}

function useSlashKey(input: { readonly current: HTMLInputElement | null }, isMain: boolean): void {
  useEffect(() => {
    if (!isMain) return;
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
      if (event.key !== '/' || isTyping || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isMain, input]);
}
