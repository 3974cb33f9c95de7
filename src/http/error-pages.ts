// A small page that needs no script: what each error code means.
import { ERROR_CODES } from '../domain/error.ts';
import { ERROR_MEANINGS } from './envelope.ts';

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
  h1 { font-size: 1.6rem; } h2 { font: 600 1.05rem ui-monospace, monospace; margin-top: 2.2rem; }
  code, pre { font-family: ui-monospace, monospace; } pre { overflow-x: auto; padding: .8rem 1rem; border-radius: 6px;
    background: color-mix(in srgb, currentColor 8%, transparent); }
  .status { font-weight: 400; opacity: .7; } a { color: LinkText; }`;

export function errorsPage(): string {
  const sections = ERROR_CODES.map((code) => {
    const { status, cause, fix } = ERROR_MEANINGS[code];
    return `<section id="${code}"><h2>${code} <span class="status">${status}</span></h2>
<p>${escapeHtml(cause)}</p>
<p><strong>What helps:</strong> ${escapeHtml(fix)}</p></section>`;
  });
  return page({
    title: 'Error codes · keyrank',
    body: `<h1>Error codes</h1>
<p>A failure has <code>data: null</code> and an <code>error</code> with one of these codes.</p>
${sections.join('\n')}`,
  });
}

function page({ title, body }: { title: string; body: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>${body}</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
