// What a link shows: one chart, search or list, with who shares it, how new the data is and when it ends.
import { useEffect } from 'preact/hooks';
import type { ApiFailure } from '../api/client.ts';
import { useAnswer } from '../api/use-answer.ts';
import type { Share, SharesAnswer } from '../api/wire.ts';
import { changeParams, place } from '../app/location.ts';
import { apiKey } from '../app/session.ts';
import { BrandMark } from '../app/top-bar.tsx';
import { formatDay, formatInstant } from '../parts/format.ts';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { SharedChart } from './shared-chart.tsx';
import { SharedList } from './shared-list.tsx';
import { SharedSearch } from './shared-search.tsx';
import '../styles/share.css';

const VIEWS = { chart: SharedChart, search: SharedSearch, list: SharedList };

export function SharedView() {
  const { answer, failure, reload } = useAnswer<SharesAnswer>(apiKey.value === null ? null : '/v1/shares');
  const share = answer?.data[0];
  if (apiKey.value === null || hasEnded(failure) || answer?.data.length === 0) return <EndedNotice />;
  if (failure) return <FailureNotice failure={failure} onRetry={reload} />;
  return share ? <SharedThing share={share} /> : <Skeleton rows={8} />;
}

/** Nothing is said of why, and nothing of whether there ever was one. */
function EndedNotice() {
  document.title = 'Ended · keyrank';
  return (
    <div class="notice">
      <h1>This link has ended.</h1>
      <p>It may be past its day, or whoever shared it has ended it. Ask them for a new one.</p>
    </div>
  );
}

function hasEnded(failure: ApiFailure | undefined): boolean {
  return failure?.status === 401;
}

function SharedThing({ share }: { readonly share: Share }) {
  const { kind, title, organization, data_until, ends_at, calls } = share;
  const params = new URLSearchParams(calls[0]?.split('?')[1]);
  const marketplace = params.get('marketplace');
  document.title = `${title} · ${organization} · keyrank`;
  useEffect(() => {
    // What the views read their periods by.
    if (marketplace) changeParams({ marketplace }, { replaces: true });
  }, [marketplace]);
  const View = VIEWS[kind as keyof typeof VIEWS];
  const isPlaced = !marketplace || place.value.params.get('marketplace') === marketplace;
  return (
    <div class="shared-view">
      <header class="shared-head">
        <h1>{title}</h1>
        <p class="muted">
          Shared by <b>{organization}</b>
          {data_until !== null && ` · data until ${formatDay(data_until)}`} · the link ends {formatInstant(ends_at)}
        </p>
      </header>
      {isPlaced && <View share={share} />}
      <footer class="shared-foot muted">
        <BrandMark /> keyrank · search-frequency ranks; 1 is the most searched
      </footer>
    </div>
  );
}
