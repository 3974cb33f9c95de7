// Makes a link that shows what is in sight to whoever has it. The link is told once: here.
import { useState } from 'preact/hooks';
import { ask, forgetAnswers } from '../api/client.ts';
import { asFailure } from '../api/use-answer.ts';
import { copyText } from '../parts/copied-text.ts';
import { Icon } from '../parts/icons.tsx';
import { Popover } from '../parts/popover.tsx';
import { explain } from '../tracked/tracked-terms.ts';

/** As the API takes it. */
type SharedThing =
  | { readonly search: string }
  | { readonly list_id: string }
  | { readonly chart: { readonly terms: readonly string[]; readonly type: string; readonly marketplace?: string } };

interface ShareButtonProps {
  readonly thing: SharedThing;
  readonly title: string;
  readonly remark?: string;
}

const MAX_TITLE = 100;
const DAYS = [
  [7, 'a week'],
  [30, '30 days'],
  [90, '90 days'],
  [365, 'a year'],
] as const;

export function ShareButton(props: ShareButtonProps) {
  return (
    <Popover text="Share" icon="link" title="Share a link" align="right">
      {() => <ShareForm {...props} />}
    </Popover>
  );
}

function ShareForm({ thing, title, remark }: ShareButtonProps) {
  const [name, setName] = useState([...title].slice(0, MAX_TITLE).join(''));
  const [days, setDays] = useState(30);
  const [link, setLink] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    setFault(null);
    try {
      const body = { ...thing, title: name.trim(), days };
      const { path } = await ask<{ readonly path: string }>('/v1/shares', { method: 'POST', body });
      forgetAnswers('/v1/shares');
      setLink(window.location.origin + path);
    } catch (error) {
      setFault(explain(asFailure(error)));
    } finally {
      setRunning(false);
    }
  };
  if (link !== null) return <ShareLink link={link} />;
  return (
    <form class="name-form" onSubmit={submit}>
      <p class="muted">
        Whoever has the link sees this one thing, without signing in. Their searches count as yours, 20 an hour at most.{' '}
        {remark}
      </p>
      <label class="field">
        <span>Title</span>
        <input value={name} maxLength={MAX_TITLE} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>Ends after</span>
        <select value={String(days)} onChange={(event) => setDays(Number(event.currentTarget.value))}>
          {DAYS.map(([value, text]) => (
            <option key={value} value={String(value)}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <button type="submit" class="button is-primary is-wide" disabled={name.trim() === '' || isRunning}>
        Make the link
      </button>
    </form>
  );
}

function ShareLink({ link }: { readonly link: string }) {
  return (
    <div class="name-form">
      <label class="field">
        <span>The link, which is shown only now</span>
        <input readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <button type="button" class="button is-primary is-wide" onClick={() => copyText(link, 'Copied the link.')}>
        <Icon name="copy" /> Copy
      </button>
      <p class="muted">It can be ended under Lists.</p>
    </div>
  );
}
