// The numbers of the charts of keywords as files, which the service writes.

import type { Frequency } from '../api/wire.ts';
import { marketplaceParams } from '../app/location.ts';
import { isShared } from '../app/session.ts';
import type { NumberFile } from '../chart/chart-files.tsx';
import { downloadFile } from '../parts/download.ts';
import type { ComparedKeyword } from './compared-keywords.ts';

const FORMS = [
  { form: 'csv', text: 'Numbers, CSV' },
  { form: 'xlsx', text: 'Numbers, Excel' },
] as const;

export function numberFiles(keywords: readonly ComparedKeyword[], type: Frequency): readonly NumberFile[] {
  // The link of a share shows numbers and makes no files.
  if (isShared()) return [];
  return FORMS.map(({ form, text }) => {
    const params = new URLSearchParams({ type, file_format: form, ...marketplaceParams() });
    for (const { term } of keywords) params.append('term', term);
    return { text, save: () => downloadFile(`/v1/search/keyword/history/export?${params}`) };
  });
}

const MAX_NAME_CHARACTERS = 60;

/** Of a picture: letters and digits of any script. */
export function nameOfFile(names: readonly string[], what: string): string {
  const words = names
    .join(' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-');
  return `${words.slice(0, MAX_NAME_CHARACTERS).replace(/^-|-$/g, '') || 'chart'}-${what}`;
}
