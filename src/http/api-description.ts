// What the reference says before it comes to the endpoints.
import { ERROR_CODES } from '../domain/error.ts';
import { PRO, STUDIO } from '../domain/plan.ts';
import { ERROR_MEANINGS } from './envelope.ts';

export function describeApi(): string {
  return [...SECTIONS, '## Errors', ERRORS, errorTable()].join('\n\n');
}

const SECTIONS = [
  'Keyword search ranks over time: search them, compare them, follow them, export them.',
  '## The first request',
  'Every request needs an API key in the `Authorization` header. Keys are never read from the address.',
  '```sh\ncurl -H "Authorization: Bearer krk_…" "$URL/v1/search/keywords?query=running+shoes&limit=3"\n```',
  [
    'A key stands for one user in one organization and has scopes; each endpoint names the one it needs. The checks run in this',
    'order: path and method, key, scope, subscription, parameters, rate limit. A request that is refused costs nothing.',
  ].join(' '),
  '## Parameters',
  [
    '- Lists repeat: `query=a&query=b`. Commas do not split. At most 50 values.',
    '- Unknown parameters are refused, with the nearest known one as a hint.',
    '- A month is `MM-YYYY`, an ISO week `WW-YYYY`; `type` says which of them a key means.',
    '- Numbers are plain decimals: no sign, exponent or leading zero, and no decimals where an integer is wanted.',
    '- Texts are trimmed and normalised to NFC before their length counts. They hold no NUL and, unless they may be empty, at least one',
    '  visible character.',
    '- A body is a JSON object in UTF-8 of at most 1 MiB (64 KiB for a single webhook or change), whatever its `Content-Type` says.',
    '  Unknown fields are refused.',
  ].join('\n'),
  '## Answers',
  [
    'Every JSON answer has `error`; it is null on success. `X-Request-Id` names the request in the logs of the service; a request may',
    'bring its own. Examples are real answers of the demo data, with the first two rows of longer lists.',
  ].join(' '),
  '## The hourly limit',
  [
    `Searches are limited per organization in any 3600 seconds: ${limits()}. All users, keys and servers share the limit. Every`,
    'answer to a search says where it stands in `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`; a 429 says in',
    '`Retry-After` how many seconds to wait.',
  ].join(' '),
];

const ERRORS = [
  'On failure `data` is null, and `error` has a `code` for programs, a `message` on what was wrong, mostly a `hint` on how to mend it,',
  'and in `docs` a link to [the page of the code](/docs/errors).',
].join(' ');

function limits(): string {
  return `${PRO.searchesPerHour} on Pro, ${STUDIO.searchesPerHour} on Studio`;
}

function errorTable(): string {
  const rows = ERROR_CODES.map((code) => {
    const { status, cause } = ERROR_MEANINGS[code];
    return `| ${status} | [\`${code}\`](/docs/errors#${code}) | ${cause} |`;
  });
  return ['| Status | Code | Cause |', '| --- | --- | --- |', ...rows].join('\n');
}
