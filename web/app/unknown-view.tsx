import { place } from './location.ts';

/** For an address that leads to no view. */
export function UnknownView() {
  return (
    <div class="notice">
      <h1>There is nothing at this address.</h1>
      <p>
        <code>{place.value.path}</code> is no view of keyrank. It may be misspelled, or the link to it wrong.
      </p>
      <p class="notice-actions">
        <a class="button is-primary" href="/" data-view>
          Search keywords
        </a>
        <a class="quiet-link" href="/docs">
          API reference
        </a>
      </p>
    </div>
  );
}
