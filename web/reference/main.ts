// The API reference: Scalar over /openapi.json. Whatever Scalar could ask of others (fonts, a proxy, telemetry, an agent) is
// switched off here, and the policy of the page forbids it once more. The build puts Scalar's own bundle beside ours.
import scalarUrl from 'scalar-standalone?url';
import { keptApiKey } from '../app/kept-key.ts';
import './reference.css';

interface Scalar {
  createApiReference(selector: string, configuration: Readonly<Record<string, unknown>>): void;
}

const CONFIGURATION = {
  url: '/openapi.json',
  theme: 'default',
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
  orderSchemaPropertiesBy: 'preserve',
  hideModels: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  persistAuth: false,
};

/** Whoever is signed in on the page can try endpoints out at once. */
function authentication(): object {
  return { preferredSecurityScheme: 'apiKey', securitySchemes: { apiKey: { token: keptApiKey() ?? '' } } };
}

const script = document.createElement('script');
script.src = scalarUrl;
script.addEventListener('load', () => {
  const { Scalar } = window as unknown as { readonly Scalar: Scalar };
  Scalar.createApiReference('#reference', { ...CONFIGURATION, authentication: authentication() });
});
document.head.append(script);
