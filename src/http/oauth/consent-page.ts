// The pages that a person sees when a program wants to be let in. They need no script, and nobody may frame them.
import { SCOPE_WORDS } from '../../domain/agent.ts';
import { type AuthorizationRequest, REQUEST_FIELDS } from './authorization-request.ts';
import { AUTHORIZE_PATH } from './metadata.ts';

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 8vh auto; padding: 0 1rem; }
  h1 { font-size: 1.4rem; overflow-wrap: anywhere; } code { overflow-wrap: anywhere; }
  fieldset { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 8px; margin: 1rem 0; }
  label { display: flex; gap: .6rem; padding: .3rem 0; align-items: baseline; }
  .actions { display: flex; flex-wrap: wrap; gap: .8rem; margin-top: 1.2rem; }
  button { font: inherit; padding: .6rem 1.2rem; border-radius: 8px; border: 1px solid currentColor; background: none;
    color: inherit; cursor: pointer; }
  button.main { background: #1f5fbf; border-color: #1f5fbf; color: #fff; }
  a { color: LinkText; }`;

export interface Person {
  readonly organization: string;
  readonly email: string;
}

export function consentPage(
  { client, redirectUri, scopes, fields }: AuthorizationRequest,
  { person, formToken }: { readonly person: Person; readonly formToken: string },
): string {
  const hidden = [
    ...REQUEST_FIELDS.filter((name) => fields.has(name)).map((name) => [name, fields.get(name)]),
    ['form_token', formToken],
  ];
  const target = targetOf(new URL(redirectUri));
  const boxes = scopes.map(
    (scope) =>
      `<label><input type="checkbox" name="grant" value="${scope}" checked> <span><b>${scope}</b>: ${escapeHtml(SCOPE_WORDS[scope as keyof typeof SCOPE_WORDS])}</span></label>`,
  );
  return page(
    `Let ${client.name} in?`,
    `<h1>Let “${escapeHtml(client.name)}” in?</h1>
<p>This program asks to use keyrank in the name of <b>${escapeHtml(person.email)}</b>, for the organization
<b>${escapeHtml(person.organization)}</b>. It chose its name itself. You will be sent to <code>${escapeHtml(target)}</code>.</p>
<form method="post" action="${AUTHORIZE_PATH}">
${hidden.map(([name = '', value = '']) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`).join('\n')}
<fieldset><legend>It may</legend>
${boxes.join('\n')}
</fieldset>
<p>It can do no more than you can. You can end this at any time in your account.</p>
<div class="actions"><button class="main" name="decision" value="allow">Let it in</button>
<button name="decision" value="deny">Refuse</button></div>
</form>`,
  );
}

export function signInPage(address: string): string {
  return page(
    'Sign in first',
    `<h1>Sign in first</h1>
<p>A program asks to use keyrank in your name. Nobody is signed in in this browser.</p>
<p><a href="/" target="_blank" rel="noopener">Sign in</a>, then <a href="${escapeHtml(address)}">ask again</a>.</p>`,
  );
}

/** With an address, the program learns of it there when the person goes. */
export function refusalPage(message: string, back?: URL): string {
  const way = back
    ? `<a href="${escapeHtml(back.href)}" rel="noreferrer">Go back to <code>${escapeHtml(targetOf(back))}</code></a>, if you came from there,`
    : 'Go back to the program';
  return page(
    'This cannot be asked',
    `<h1>This cannot be asked</h1>
<p>${escapeHtml(message)}</p>
<p>${way} and connect it again.</p>`,
  );
}

/** Where somebody would be sent, in short. */
function targetOf({ protocol, host }: URL): string {
  return protocol === 'https:' || protocol === 'http:' ? host : protocol;
}

function page(title: string, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · keyrank</title>
<style>${STYLE}</style>
</head>
<body>
<main>${main}</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
