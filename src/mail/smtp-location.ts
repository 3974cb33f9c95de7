// Where mail is handed over: smtp:// for a server that may offer encryption, smtps:// for one that begins with it.

export interface SmtpLocation {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise as soon as the server offers it. */
  readonly isSecure: boolean;
  /** Nothing is handed over without encryption. */
  readonly needsTls: boolean;
  readonly login: { readonly user: string; readonly password: string } | null;
}

const SUBMISSION_PORT = 587;
const SECURE_PORT = 465;
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '::1'];

/** Undefined when it is no address of a mail server. A password goes to another machine over an encrypted connection only. */
export function parseSmtpLocation(text: string): SmtpLocation | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname)) return undefined;
  if (url.search !== '' || url.hash !== '') return undefined;
  const isSecure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const login = readLogin(url);
  if (login === undefined) return undefined;
  return {
    host,
    port: url.port === '' ? (isSecure ? SECURE_PORT : SUBMISSION_PORT) : Number(url.port),
    isSecure,
    needsTls: login !== null && !LOCAL_HOSTS.includes(host),
    login,
  };
}

function readLogin({ username, password }: URL): SmtpLocation['login'] | undefined {
  if (username === '' && password === '') return null;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

/** One address and nothing that a header could be made of. */
export function isMailAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u.test(text);
}

/** `Name <address>`, or an address alone. */
export function parseSender(text: string): { readonly name: string; readonly address: string } | undefined {
  const [, name = '', address = ''] = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(text) ?? [text, '', text];
  return isMailAddress(address) ? { name: name.trim().replaceAll('"', ''), address } : undefined;
}
