// A small page that needs no script: what each error code means, and what it looks like.
import { STATUS_CODES } from 'node:http';
import { ERROR_CODES } from '../domain/error.ts';
import { ERROR_MEANINGS } from './envelope.ts';
import type { RecordedAnswer, RecordedAnswers } from './recorded-answers.ts';

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
  h1 { font-size: 1.6rem; } h2 { font: 600 1.05rem ui-monospace, monospace; margin-top: 2.2rem; }
  code, pre { font-family: ui-monospace, monospace; } pre { overflow-x: auto; padding: .8rem 1rem; border-radius: 6px;
    background: color-mix(in srgb, currentColor 8%, transparent); }
  pre { font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; } pre + pre { margin-top: -.6rem; }
  h2 a { color: inherit; text-decoration: none; } section:target h2 { text-decoration: underline; }
  .codes { columns: 16rem; font: .9rem ui-monospace, monospace; }
  .status { font-weight: 400; opacity: .7; } a { color: LinkText; }`;

export function errorsPage(failures: RecordedAnswers['failures']): string {
  const list = ERROR_CODES.map((code) => `<li><a href="#${code}">${code}</a></li>`);
  const sections = ERROR_CODES.map((code) => {
    const example = failures[code];
    const { status, cause, fix } = ERROR_MEANINGS[code];
    return `<section id="${code}"><h2><a href="#${code}">${code}</a> <span class="status">${status}</span></h2>
<p>${escapeHtml(cause)}</p>
<p><strong>What helps:</strong> ${escapeHtml(fix)}</p>
${example ? exchange(example) : ''}</section>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Error codes · keyrank</title>
<style>${STYLE}</style>
</head>
<body>
<main><h1>Error codes</h1>
<p>A failure has <code>data: null</code> and an <code>error</code> with one of these codes. <code>message</code> says what was
wrong, <code>hint</code> how to mend it, and <code>docs</code> leads here. The examples are real answers.
All endpoints: <a href="/docs">API reference</a>. Back to <a href="/">keyrank</a>.</p>
<ul class="codes">${list.join('')}</ul>
${sections.join('\n')}</main>
</body>
</html>
`;
}

/** A request and its answer, much as they go over the wire. */
function exchange({ request, requestBody, status, headers, body }: RecordedAnswer): string {
  const sent = [request, ...(requestBody === undefined ? [] : ['', printed(requestBody)])];
  const got = [
    `${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    printed(body),
  ];
  return [sent, got].map((lines) => `<pre>${escapeHtml(lines.join('\n'))}</pre>`).join('\n');
}

function printed(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
