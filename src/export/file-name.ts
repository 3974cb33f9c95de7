// The name under which an export is saved: what it is, of what, how often, until when.
import type { ValueFormat } from '../domain/keyword-export.ts';
import type { Frequency, Period } from '../domain/period.ts';

export interface ExportFileName {
  readonly queries: readonly string[];
  readonly frequency: Frequency;
  /** What the period columns hold; ranks unless given. */
  readonly format?: ValueFormat;
  /** Undefined while nothing is published. */
  readonly latestPeriod: Period | undefined;
  readonly extension: string;
}

/** Together with the rest this stays far below the 255 bytes that file systems allow, in any script. */
const MAX_SLUG_CHARACTERS = 40;

const FALLBACK_SLUG = 'keywords';

const FORMAT_WORDS: Readonly<Record<ValueFormat, string>> = { raw: '', delta: '-changes', percentage: '-percent' };

/**
 * keyrank-running-shoes-monthly-2026-10.xlsx, or …-monthly-changes-2026-10.xlsx; weeks end in 2026-w07. Letters of any script stay,
 * the rest is hyphens.
 */
export function exportFileName({
  queries,
  frequency,
  format = 'raw',
  latestPeriod,
  extension,
}: ExportFileName): string {
  const [first = '', ...more] = queries;
  const others = more.length === 0 ? '' : `-and-${more.length}-more`;
  const until = latestPeriod ? `-${sortableKey(latestPeriod)}` : '';
  return `keyrank-${slug(first)}${others}-${frequency}${FORMAT_WORDS[format]}${until}.${extension}`;
}

/** RFC 6266: a plain ASCII name for old clients and the true one in RFC 8187's encoding. */
export function attachmentHeader(fileName: string): string {
  const plain = fileName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9.-]+/g, '-')
    .replace(/-{2,}/g, '-');
  const header = `attachment; filename="${plain}"`;
  return plain === fileName ? header : `${header}; filename*=UTF-8''${encodeExtended(fileName)}`;
}

function slug(query: string): string {
  const hyphenated = query
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['\u2019]/g, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-');
  const short = [...hyphenated.replace(/^-/, '')].slice(0, MAX_SLUG_CHARACTERS).join('').replace(/-$/, '');
  return short === '' ? FALLBACK_SLUG : short;
}

/** Year first, so that a folder of exports sorts by time. */
function sortableKey({ frequency, year, number }: Period): string {
  const padded = String(number).padStart(2, '0');
  return frequency === 'weekly' ? `${year}-w${padded}` : `${year}-${padded}`;
}

/** encodeURIComponent leaves four characters bare that RFC 8187 does not allow. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
