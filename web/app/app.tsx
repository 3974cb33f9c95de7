import { useEffect, useRef } from 'preact/hooks';
import { AccountView } from '../account/account-view.tsx';
import { PeriodsView } from '../account/periods-view.tsx';
import { KeywordView } from '../keyword/keyword-view.tsx';
import { ToastLine } from '../parts/toast.tsx';
import { SearchView } from '../search/search-view.tsx';
import { TrackedView } from '../tracked/tracked-view.tsx';
import { TrendsView } from '../trends/trends-view.tsx';
import { KeyOfferQuestion } from './key-offer.tsx';
import { place } from './location.ts';
import { apiKey } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { keyOffer } from './sign-in-link.ts';
import { TopBar } from './top-bar.tsx';

const VIEWS: Readonly<Record<string, { readonly title: string; readonly View: () => preact.JSX.Element }>> = {
  '/': { title: 'Search', View: SearchView },
  '/keyword': { title: 'Keyword', View: KeywordView },
  '/trends': { title: 'Trends', View: TrendsView },
  '/tracked': { title: 'Tracked', View: TrackedView },
  '/account': { title: 'Account', View: AccountView },
  '/periods': { title: 'Data', View: PeriodsView },
};

export function App() {
  const { path, params } = place.value;
  const view = VIEWS[path] ?? { title: 'Search', View: SearchView };
  const subject = params.get('query') ?? params.get('term');
  document.title = `${subject ? `${subject} · ` : ''}${view.title} · keyrank`;
  useFocusOnArrival(path);
  if (keyOffer.value) return <KeyOfferQuestion offer={keyOffer.value} />;
  if (apiKey.value === null) return <SignIn />;
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <TopBar path={path} />
      <main id="content" tabIndex={-1}>
        {/* Another key is another world: nothing of the old one stays on the screen. */}
        <view.View key={apiKey.value + path} />
      </main>
      <ToastLine />
    </>
  );
}

/** A new view begins at its top, for those who cannot see that it changed. */
function useFocusOnArrival(path: string): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current !== path) document.getElementById('content')?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);
}
