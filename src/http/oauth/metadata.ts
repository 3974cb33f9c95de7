// Where a client finds out how to be let in: RFC 9728 for /mcp, RFC 8414 for what lets it in. Both are this service.
import { AGENT_SCOPES } from '../../domain/agent.ts';
import { MCP_PATH } from '../mcp-path.ts';

export const PROTECTED_RESOURCE_PATH = '/.well-known/oauth-protected-resource';
export const AUTHORIZATION_SERVER_PATH = '/.well-known/oauth-authorization-server';
export const AUTHORIZE_PATH = '/oauth/authorize';
export const TOKEN_PATH = '/oauth/token';
export const REGISTER_PATH = '/oauth/register';
export const REVOKE_PATH = '/oauth/revoke';

/** What tokens are for. */
export function resourceOf(origin: string): string {
  return origin + MCP_PATH;
}

export function protectedResource(origin: string): object {
  return {
    resource: resourceOf(origin),
    authorization_servers: [origin],
    scopes_supported: AGENT_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'keyrank',
  };
}

export function authorizationServer(origin: string): object {
  return {
    issuer: origin,
    authorization_endpoint: origin + AUTHORIZE_PATH,
    token_endpoint: origin + TOKEN_PATH,
    registration_endpoint: origin + REGISTER_PATH,
    revocation_endpoint: origin + REVOKE_PATH,
    scopes_supported: AGENT_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

/** What a 401 of /mcp says beside its body. */
export function challenge(origin: string): string {
  return `Bearer resource_metadata="${origin}${PROTECTED_RESOURCE_PATH}${MCP_PATH}"`;
}
