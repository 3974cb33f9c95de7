import type { ComponentChildren } from 'preact';

interface TextFieldProps {
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password';
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  /** Of the element that says what is wrong with it. */
  readonly faultId?: string | undefined;
  /** Below the field. */
  readonly children?: ComponentChildren;
}

export function TextField({
  label,
  type = 'text',
  value,
  onText,
  autocomplete = 'off',
  placeholder,
  faultId,
  children,
}: TextFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        {...typeOf(type)}
        value={value}
        autocomplete={autocomplete}
        {...(placeholder === undefined ? {} : { placeholder })}
        {...(faultId === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': faultId })}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      {children}
    </label>
  );
}

/** The types of JSX tell each kind of input apart; here it is one of them at a time. */
function typeOf(type: string): { readonly type: 'text' } {
  return { type: type as 'text' };
}
