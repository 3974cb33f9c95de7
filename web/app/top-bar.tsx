import { useEffect } from 'preact/hooks';
import { ask, rateLimit } from '../api/client.ts';
import type { UsageAnswer } from '../api/wire.ts';
import { formatNumber } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Ring } from '../parts/ring.tsx';
import { loadDigests, unreadCount } from '../tracked/digests.ts';
import { loadTracked } from '../tracked/tracked-terms.ts';
import { followNews } from './live-news.ts';
import { addressOf } from './location.ts';
import { MarketplacePicker } from './marketplace-picker.tsx';
import { isDark, paintCount, toggleTheme } from './theme.ts';

const LINKS = [
  { path: '/', text: 'Search' },
  { path: '/keyword', text: 'Keyword' },
  { path: '/trends', text: 'Trends' },
  { path: '/tracked', text: 'Tracked' },
  { path: '/lists', text: 'Lists' },
  { path: '/periods', text: 'Data' },
  { path: '/team', text: 'Team' },
  { path: '/account', text: 'Account' },
] as const;

const BELOW_DATA = ['/imports', '/connections'];

export function TopBar({ path }: { readonly path: string }) {
  useEffect(() => {
    // Where the limit stands is known from the first search on; until then it is asked for, which is free.
    ask<UsageAnswer>('/v1/usage').then(
      ({ data }) => {
        rateLimit.value ??= data.rate_limit;
      },
      // A key without the scope shows its quota after the first search.
      () => {},
    );
    void loadTracked();
    void loadDigests();
    followNews();
  }, []);
  return (
    <header class="topbar">
      <a class="brand" href={addressOf('/')} data-view aria-label="keyrank, start">
        <BrandMark />
        <span>keyrank</span>
      </a>
      <nav aria-label="Views">
        {LINKS.map((link) => (
          <a
            key={link.path}
            href={addressOf(link.path)}
            data-view
            {...(link.path === path || (link.path === '/periods' && BELOW_DATA.includes(path))
              ? { 'aria-current': 'page' as const }
              : {})}
          >
            {link.text}
            {link.path === '/tracked' && unreadCount.value > 0 && (
              <span class="badge">
                {unreadCount.value}
                <span class="spoken"> unread digests</span>
              </span>
            )}
          </a>
        ))}
      </nav>
      <div class="topbar-end">
        <MarketplacePicker />
        <QuotaMeter />
        <ThemeButton />
      </div>
    </header>
  );
}

function QuotaMeter() {
  const limit = rateLimit.value;
  if (!limit) return <span class="quota" />;
  const isLow = limit.remaining <= limit.limit * 0.1;
  return (
    <a
      class={isLow ? 'quota is-low' : 'quota'}
      href={addressOf('/account')}
      data-view
      title={`${formatNumber(limit.remaining)} of ${formatNumber(limit.limit)} searches left in this hour`}
    >
      <Ring share={limit.remaining / limit.limit} size={20} thickness={3} />
      <span>
        <b>{formatNumber(limit.remaining)}</b>
        <span class="quota-words"> searches left</span>
      </span>
    </a>
  );
}

function ThemeButton() {
  // Read so that the button follows the system too.
  void paintCount.value;
  return (
    <button
      type="button"
      class="button is-icon is-bare"
      aria-label={isDark() ? 'Switch to light colours' : 'Switch to dark colours'}
      onClick={toggleTheme}
    >
      <Icon name={isDark() ? 'sun' : 'moon'} />
    </button>
  );
}

export function BrandMark() {
  return (
    <svg class="brand-mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d="M4 16V9.5M10 16v-4M16 16V5" />
      <circle cx="16" cy="4.6" r="2.6" />
    </svg>
  );
}
