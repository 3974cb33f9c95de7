import { useEffect, useRef, useState } from 'preact/hooks';
import { Skeleton } from '../parts/notices.tsx';
import { acceptKey, declineKey, type KeyOffer, type KeyOwner } from './sign-in-link.ts';
import { BrandMark } from './top-bar.tsx';

/** As much of a key as the operator's lists show. */
const SHOWN_CHARACTERS = 10;

/** Asks before the key of a link takes the place of the one in use. Nothing is asked in anyone's name meanwhile. */
export function KeyOfferQuestion({ offer }: { readonly offer: KeyOffer }) {
  const [isKept, setKept] = useState(false);
  const keep = useRef<HTMLButtonElement>(null);
  const { owners } = offer;
  useEffect(() => keep.current?.focus(), []);

  const submit = (event: Event) => {
    event.preventDefault();
    acceptKey(offer, { isKept });
  };
  return (
    <main class="sign-in" id="content">
      <form class="key-offer" onSubmit={submit} onKeyDown={(event) => event.key === 'Escape' && declineKey()}>
        <h1>
          <BrandMark /> Change the key?
        </h1>
        <p>A link wants to sign you in with another key.</p>
        {owners ? (
          <dl class="facts">
            <Owner title="You are signed in as" owner={owners.present} apiKey={offer.presentKey} />
            <Owner title="The key of the link belongs to" owner={owners.offered} apiKey={offer.key} />
          </dl>
        ) : (
          <Skeleton rows={2} height={44} />
        )}
        <p class="muted">
          With it you see, and add to, what is theirs: history, notes, tracked keywords. Go on only if you expected this
          link.
        </p>
        <button ref={keep} type="button" class="button is-primary is-wide" onClick={declineKey}>
          Keep my own key
        </button>
        <button type="submit" class="button is-wide" disabled={!owners}>
          Use the key of the link
        </button>
        <label class="check">
          <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
          Remember the key of the link on this device
        </label>
      </form>
    </main>
  );
}

function Owner(props: { readonly title: string; readonly owner: KeyOwner; readonly apiKey: string }) {
  return (
    <>
      <dt>{props.title}</dt>
      <dd>
        {props.owner.words} <code class="muted">{props.apiKey.slice(0, SHOWN_CHARACTERS)}…</code>
      </dd>
    </>
  );
}
