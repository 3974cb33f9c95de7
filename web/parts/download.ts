// Files need the key in a header, which a plain link cannot carry: they are fetched and then handed to the browser.
import { type ApiPath, send } from '../api/client.ts';

/** Fetches a file of the API and saves it under the name that the service gives it. What takes several requests makes one file of text. */
export async function downloadFile(...paths: readonly ApiPath[]): Promise<void> {
  const contents: Blob[] = [];
  let name = '';
  // One after the other: an organization has few exports under way at once.
  for (const path of paths) {
    const response = await send(path);
    name ||= fileNameOf(response.headers.get('content-disposition') ?? '');
    const content = await response.blob();
    const hasHead = response.headers.get('content-type')?.startsWith('text/csv') === true;
    contents.push(hasHead && contents.length > 0 ? await withoutHead(content) : content);
  }
  // Without its type a browser may not take a file for what it is.
  saveFile(name, new Blob(contents, { type: contents[0]?.type ?? '' }));
}

/** The lines of a CSV file below the names of its columns. */
async function withoutHead(content: Blob): Promise<Blob> {
  const bytes = new Uint8Array(await content.arrayBuffer());
  return new Blob([bytes.subarray(bytes.indexOf('\n'.charCodeAt(0)) + 1)]);
}

/** How long a saved file can still be read. */
const KEPT_MS = 30_000;

export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser reads it after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/** The true name where the header has one beside the plain one (RFC 6266). */
function fileNameOf(disposition: string): string {
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1];
  return encoded ? decodeURIComponent(encoded) : (/filename="([^"]+)"/.exec(disposition)?.[1] ?? 'keywords');
}
