import { useState } from 'preact/hooks';

interface NameFormProps {
  readonly label: string;
  readonly value?: string;
  readonly action: string;
  /** False leaves the form open: what went wrong is said elsewhere. */
  readonly onName: (name: string) => Promise<boolean>;
  readonly onDone: () => void;
}

const MAX_NAME = 100;

/** One line that names something. */
export function NameForm({ label, value = '', action, onName, onDone }: NameFormProps) {
  const [name, setName] = useState(value);
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    const isDone = await onName(name.trim());
    setRunning(false);
    if (isDone) onDone();
  };
  return (
    <form class="name-form" onSubmit={submit}>
      <label class="field">
        <span>{label}</span>
        <input value={name} maxLength={MAX_NAME} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <button type="submit" class="button is-primary is-wide" disabled={name.trim() === '' || isRunning}>
        {action}
      </button>
    </form>
  );
}
