import { Popover } from '../parts/popover.tsx';

interface DeleteButtonProps {
  /** What is deleted, by its name. */
  readonly name: string;
  /** What goes with it. */
  readonly warning: string;
  readonly onDelete: () => Promise<unknown>;
}

/** Asks first: what an organization shares is gone for everyone. */
export function DeleteButton({ name, warning, onDelete }: DeleteButtonProps) {
  return (
    <Popover
      text={<span class="spoken">Delete {name}</span>}
      icon="trash"
      title={`Delete ${name}?`}
      className="button is-icon is-bare"
      align="right"
    >
      {(close) => (
        <div class="confirm">
          <p>{warning}</p>
          <button
            type="button"
            class="button is-primary is-wide"
            onClick={() => {
              close();
              void onDelete();
            }}
          >
            Delete
          </button>
        </div>
      )}
    </Popover>
  );
}
