import { newData } from './live-news.ts';

/** A line above everything, when what is on the screen is no longer the newest. Nothing changes under the reader's hands. */
export function NewDataLine() {
  return (
    <div class="new-data" role="status">
      {newData.value !== null && (
        <p>
          <b>{newData.value}</b>
          <button type="button" class="button is-small is-primary" onClick={() => location.reload()}>
            Reload
          </button>
          <button
            type="button"
            class="button is-small is-bare"
            onClick={() => {
              newData.value = null;
            }}
          >
            Later
          </button>
        </p>
      )}
    </div>
  );
}
