// The address bar is the state of every view: a view reads its parameters from here and changes them by navigating.
import { signal } from '@preact/signals';

export interface Place {
  readonly path: string;
  readonly params: URLSearchParams;
}

export const place = signal<Place>(readPlace());

function readPlace(): Place {
  return { path: window.location.pathname, params: new URLSearchParams(window.location.search) };
}

/** What asks for the marketplace that was chosen; nothing asks for the service's own. */
export function marketplaceParams(): Readonly<Record<string, string>> {
  const marketplace = place.value.params.get('marketplace');
  return marketplace ? { marketplace } : {};
}

/** An address of the page, in the same marketplace unless another is given; parameters without a value are left out. */
export function addressOf(path: string, params: URLSearchParams | Readonly<Record<string, string>> = {}): string {
  const given = new URLSearchParams(params);
  return writeAddress(
    path,
    new URLSearchParams([...given, ...(given.has('marketplace') ? [] : Object.entries(marketplaceParams()))]),
  );
}

function writeAddress(path: string, params: URLSearchParams): string {
  const query = new URLSearchParams([...params].filter(([, value]) => value !== '')).toString();
  return query === '' ? path : `${path}?${query}`;
}

export function navigate(address: string, { replaces = false }: { readonly replaces?: boolean } = {}): void {
  const current = window.location.pathname + window.location.search;
  if (address === current) return;
  if (replaces) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  const isSamePath = window.location.pathname === place.value.path;
  place.value = readPlace();
  if (!replaces && !isSamePath) window.scrollTo(0, 0);
}

/** The same view with some parameters changed; null removes one, a list repeats it. */
export function changeParams(
  changes: Readonly<Record<string, string | readonly string[] | null>>,
  options: { readonly replaces?: boolean } = {},
): void {
  const params = new URLSearchParams(place.value.params);
  for (const [name, value] of Object.entries(changes)) {
    params.delete(name);
    if (value === null) continue;
    for (const each of typeof value === 'string' ? [value] : value) params.append(name, each);
  }
  navigate(writeAddress(place.value.path, params), options);
}

/** Follows the back button, and turns plain clicks on links of the page into navigation. */
export function watchLocation(): void {
  window.addEventListener('popstate', () => {
    place.value = readPlace();
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-view]') : null;
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    // From the page of a share other views begin anew, as whoever is signed in.
    const leavesShare = place.value.path.startsWith('/s/');
    if (!link || !isPlain || leavesShare || event.defaultPrevented) return;
    event.preventDefault();
    navigate(link.getAttribute('href') ?? '/');
  });
}
