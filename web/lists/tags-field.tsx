export function readTags(text: string): readonly string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

interface TagsFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}

export function TagsField({ label, value, onInput }: TagsFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input value={value} placeholder="core, winter" onInput={(event) => onInput(event.currentTarget.value)} />
    </label>
  );
}
