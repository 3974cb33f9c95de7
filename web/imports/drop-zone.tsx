import { useRef, useState } from 'preact/hooks';

/** Takes files by dropping them anywhere on it, and by choosing them. */
export function DropZone({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    if (files && files.length > 0) onFiles([...files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way; the button in it is the other.
    <div
      class={isOver ? 'drop-zone is-over' : 'drop-zone'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <p>
        <b>Drop report files here</b>, plain or compressed with gzip.
      </p>
      <p class="muted">
        Amazon’s Top Search Terms, Walmart’s Top Search Trends, or any CSV with the columns{' '}
        <code>period_type,period,search_term,rank</code>. They are checked before anything is published.
      </p>
      <input
        ref={input}
        class="spoken"
        type="file"
        multiple
        tabIndex={-1}
        aria-label="Report files"
        onChange={(event) => {
          take(event.currentTarget.files);
          // So that the same file can be chosen again.
          event.currentTarget.value = '';
        }}
      />
      <button type="button" class="button is-primary" onClick={() => input.current?.click()}>
        Choose files
      </button>
    </div>
  );
}
