import { useState } from 'preact/hooks';

interface SureButtonProps {
  readonly text: string;
  /** What it is done to, for those who hear the button. */
  readonly name: string;
  readonly onSure: () => void;
}

/** For what cannot be taken back: the first press asks, the second does it, and whoever goes elsewhere has changed nothing. */
export function SureButton({ text, name, onSure }: SureButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const press = () => {
    setAsking(!isAsking);
    if (isAsking) onSure();
  };
  const question = `Really ${text.toLowerCase()}`;
  return (
    <button
      type="button"
      class={isAsking ? 'button is-small is-danger' : 'button is-small'}
      aria-label={isAsking ? `${question} ${name}?` : `${text} ${name}`}
      onBlur={() => setAsking(false)}
      onClick={press}
    >
      {isAsking ? `${question}?` : text}
    </button>
  );
}
