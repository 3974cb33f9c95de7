import { useEffect, useRef } from 'preact/hooks';
import { lazy } from '../parts/lazy.tsx';
import { ToastLine } from '../parts/toast.tsx';
import { SearchView } from '../search/search-view.tsx';
import { TrackedView } from '../tracked/tracked-view.tsx';
import { TrendsView } from '../trends/trends-view.tsx';
import { InvitationView } from './invitation-view.tsx';
import { KeyOfferQuestion } from './key-offer.tsx';
import { place } from './location.ts';
import { NewDataLine } from './new-data.tsx';
import { invitation, signInLink } from './person-link.ts';
import { apiKey, isShared } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { keyOffer } from './sign-in-link.ts';
import { SignInLinkView } from './sign-in-link-view.tsx';
import { TopBar } from './top-bar.tsx';
import { UnknownView } from './unknown-view.tsx';

/** All but those that visits begin with. */
const KeywordView = lazy(() => import('../keyword/keyword-view.tsx').then((part) => part.KeywordView));
const AccountView = lazy(() => import('../account/account-view.tsx').then((part) => part.AccountView));
const TeamView = lazy(() => import('../team/team-view.tsx').then((part) => part.TeamView));
const PeriodsView = lazy(() => import('../account/periods-view.tsx').then((part) => part.PeriodsView));
const LookupView = lazy(() => import('../search/lookup-view.tsx').then((part) => part.LookupView));
const ImportsView = lazy(() => import('../imports/imports-view.tsx').then((part) => part.ImportsView));
const ConnectionsView = lazy(() => import('../connections/connections-view.tsx').then((part) => part.ConnectionsView));
const ListsView = lazy(() => import('../lists/lists-view.tsx').then((part) => part.ListsView));
const ProductView = lazy(() => import('../product/product-view.tsx').then((part) => part.ProductView));
const SharedView = lazy(() => import('../share/shared-view.tsx').then((part) => part.SharedView));
const BrandView = lazy(() => import('../product/brand-view.tsx').then((part) => part.BrandView));

const VIEWS: Readonly<Record<string, { readonly title: string; readonly View: preact.ComponentType }>> = {
  '/': { title: 'Search', View: SearchView },
  '/keyword': { title: 'Keyword', View: KeywordView },
  '/product': { title: 'Product', View: ProductView },
  '/brand': { title: 'Brand', View: BrandView },
  '/trends': { title: 'Trends', View: TrendsView },
  '/tracked': { title: 'Tracked', View: TrackedView },
  '/lists': { title: 'Lists', View: ListsView },
  '/team': { title: 'Team', View: TeamView },
  '/account': { title: 'Account', View: AccountView },
  '/lookup': { title: 'Look up a list', View: LookupView },
  '/imports': { title: 'Import', View: ImportsView },
  '/connections': { title: 'Connections', View: ConnectionsView },
  '/periods': { title: 'Data', View: PeriodsView },
};

/** What a view is about, by the parameter that says so. */
const SUBJECTS = ['asin', 'name', 'query', 'term'];

export function App() {
  const { path, params } = place.value;
  const view = VIEWS[path] ?? { title: 'Nothing here', View: UnknownView };
  const subject = SUBJECTS.map((name) => params.get(name)).find(Boolean);
  document.title = `${subject ? `${subject} · ` : ''}${view.title} · keyrank`;
  useFocusOnArrival(path);
  if (isShared()) return <SharedPage />;
  if (signInLink.value !== null) return <SignInLinkView token={signInLink.value} />;
  if (invitation.value !== null) return <InvitationView token={invitation.value} />;
  if (keyOffer.value) return <KeyOfferQuestion offer={keyOffer.value} />;
  if (apiKey.value === null && VIEWS[path]) return <SignIn />;
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      {apiKey.value !== null && <TopBar path={path} />}
      <NewDataLine />
      <main id="content" tabIndex={-1}>
        {/* Another key is another world: nothing of the old one stays on the screen. */}
        <view.View key={`${apiKey.value} ${path}`} />
      </main>
      <ToastLine />
    </>
  );
}

/** One thing and nothing around it: whoever has the link need not know this service. */
function SharedPage() {
  return (
    <>
      <main id="content" tabIndex={-1}>
        <SharedView />
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
