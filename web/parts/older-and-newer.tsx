interface OlderAndNewerProps {
  readonly pagination: { readonly current_page: number; readonly has_previous: boolean; readonly has_next: boolean };
  readonly pageSize: number;
  readonly onOffset: (offset: number) => void;
}

/** Under a list that begins with what is newest; nothing where all of it is seen. */
export function OlderAndNewer({ pagination, pageSize, onOffset }: OlderAndNewerProps) {
  const { current_page: page, has_previous: hasPrevious, has_next: hasNext } = pagination;
  if (!hasPrevious && !hasNext) return null;
  return (
    <p class="team-tools">
      <button
        type="button"
        class="button is-small"
        disabled={!hasPrevious}
        onClick={() => onOffset(Math.max(0, page - 2) * pageSize)}
      >
        Newer
      </button>
      <button type="button" class="button is-small" disabled={!hasNext} onClick={() => onOffset(page * pageSize)}>
        Older
      </button>
    </p>
  );
}
