import { describe, expect, it } from 'vitest';
import { AGENT_SCOPES, isRedirectUri, parseAgentScopes } from './agent.ts';

describe('where a program may be sent with a code', () => {
  it.each([
    'https://agent.example/callback?x=1',
    'http://127.0.0.1:6274/oauth/callback',
    'http://localhost:1/',
    'http://[::1]:9/cb',
    'cursor://anysphere.cursor-mcp/oauth/callback',
  ])('is %s', (uri) => expect(isRedirectUri(uri)).toBe(true));

  it.each([
    'http://agent.example/callback',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'https://user@agent.example/',
    'https://agent.example/#x',
    'https://agent.example\\@evil.example/',
    'https:// agent.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//agent.example/',
    '/callback',
    '',
    `https://agent.example/${'a'.repeat(500)}`,
  ])('is not %s', (uri) => expect(isRedirectUri(uri)).toBe(false));
});

describe('scopes that are asked for', () => {
  it('are those that are known; all unless some are named', () => {
    expect(parseAgentScopes(undefined)).toEqual(AGENT_SCOPES);
    expect(parseAgentScopes(' trends search operator people ')).toEqual(['search', 'trends']);
    expect(parseAgentScopes('operator offline_access')).toBeUndefined();
  });
});
