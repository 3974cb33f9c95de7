// States other than data: waiting, nothing there, something wrong. Each says what to do next.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiFailure } from '../api/client.ts';
import { place } from '../app/location.ts';
import { formatClock, formatCountdown } from './format.ts';

const SECOND_MS = 1000;

/** Now, each second anew. */
export function useClock(isRunning = true): number {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNowMs(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return nowMs;
}

export function FailureNotice({ failure, onRetry }: { readonly failure: ApiFailure; readonly onRetry?: () => void }) {
  const nowMs = useClock(failure.retryAtMs !== undefined);
  const isWaiting = failure.retryAtMs !== undefined && failure.retryAtMs > nowMs;
  return (
    <div class="notice is-failure" role="alert">
      <h2>{failure.message}</h2>
      {/* The service tells the seconds as they were; here they count down. */}
      {isWaiting ? (
        <p>
          It can be tried again at {formatClock(new Date(failure.retryAtMs ?? 0))}
          {failure.code === 'RATE_LIMIT_EXCEEDED' && ', when the next search is free. A larger plan has more of them'}.
        </p>
      ) : (
        failure.hint && failure.retryAtMs === undefined && <p>{failure.hint}</p>
      )}
      <p class="notice-actions">
        {failure.code === 'INVALID_PARAMETERS' && (
          <a class="button is-primary" href={place.value.path} data-view>
            Start over
          </a>
        )}
        {onRetry && failure.code !== 'INVALID_PARAMETERS' && (
          <button type="button" class="button is-primary" disabled={isWaiting} onClick={onRetry}>
            {isWaiting ? `Try again in ${formatCountdown(failure.retryAtMs ?? 0, nowMs)}` : 'Try again'}
          </button>
        )}
        {failure.docs && (
          <a class="quiet-link" href={failure.docs}>
            About <code>{failure.code}</code>
          </a>
        )}
      </p>
    </div>
  );
}

/** For what this server does not offer. */
export function MissingNotice({ what }: { readonly what: string }) {
  return (
    <div class="notice">
      <h2>{what} not offered by this server.</h2>
      <p>It runs a version without this endpoint. Ask its operator to update keyrank.</p>
    </div>
  );
}

export function EmptyNotice({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="notice">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Skeleton({ rows = 12, height = 40 }: { readonly rows?: number; readonly height?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="spoken">Loading …</span>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} class="skeleton-row" style={{ height: `${height}px` }} />
      ))}
    </div>
  );
}
