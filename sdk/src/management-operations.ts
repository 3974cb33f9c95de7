// What an organization and its operators manage: links, members, keys, notifications, imports, connections. Signing in is for people and has no place here.
import { type CallOptions, type CreateOptions, keyed } from './call-options.ts';
import type { Client } from './generated/client/index.ts';
import * as endpoint from './generated/sdk.gen.ts';
import type * as wire from './generated/types.gen.ts';

type Query<Data extends { query?: unknown }> = NonNullable<Data['query']>;

export function createManagement(client: Client) {
  return {
    ...createSharing(client),
    ...createPeople(client),
    ...createKeys(client),
    ...createNotifications(client),
    ...createImports(client),
    ...createConnections(client),
    ...createOrganizations(client),
  };
}

function createSharing(client: Client) {
  return {
    /** List shares. */
    listShares: (query?: Query<wire.ListSharesData>, options?: CallOptions): Promise<wire.ListSharesResponse> =>
      endpoint.listShares({ ...options, client, ...(query && { query }) }),
    /** Share a chart, a search or a list. */
    createShare: (body: wire.CreateShareData['body'], options?: CallOptions): Promise<wire.CreateShareResponse> =>
      endpoint.createShare({ ...options, client, body }),
    /** End a share. */
    deleteShare: (id: string, options?: CallOptions): Promise<wire.DeleteShareResponse> =>
      endpoint.deleteShare({ ...options, client, path: { id } }),
    /** List connected agents. */
    listAgents: (options?: CallOptions): Promise<wire.ListAgentsResponse> =>
      endpoint.listAgents({ ...options, client }),
    /** End an agent. */
    deleteAgent: (id: string, options?: CallOptions): Promise<wire.DeleteAgentResponse> =>
      endpoint.deleteAgent({ ...options, client, path: { id } }),
  };
}

function createPeople(client: Client) {
  return {
    /** Who is asking. */
    getAccount: (options?: CallOptions): Promise<wire.GetAccountResponse> =>
      endpoint.getAccount({ ...options, client }),
    /** List members. */
    listMembers: (options?: CallOptions): Promise<wire.ListMembersResponse> =>
      endpoint.listMembers({ ...options, client }),
    /** Change a member's role. */
    changeMember: (
      id: string,
      body: wire.ChangeMemberData['body'],
      options?: CallOptions,
    ): Promise<wire.ChangeMemberResponse> => endpoint.changeMember({ ...options, client, path: { id }, body }),
    /** Remove a member. */
    removeMember: (
      id: string,
      query?: Query<wire.RemoveMemberData>,
      options?: CallOptions,
    ): Promise<wire.RemoveMemberResponse> =>
      endpoint.removeMember({ ...options, client, path: { id }, ...(query && { query }) }),
    /** List invitations. */
    listInvitations: (options?: CallOptions): Promise<wire.ListInvitationsResponse> =>
      endpoint.listInvitations({ ...options, client }),
    /** Invite somebody. */
    createInvitation: (
      body: wire.CreateInvitationData['body'],
      options?: CallOptions,
    ): Promise<wire.CreateInvitationResponse> => endpoint.createInvitation({ ...options, client, body }),
    /** Withdraw an invitation. */
    deleteInvitation: (id: string, options?: CallOptions): Promise<wire.DeleteInvitationResponse> =>
      endpoint.deleteInvitation({ ...options, client, path: { id } }),
    /** Read the audit log. */
    listAuditLog: (query?: Query<wire.ListAuditLogData>, options?: CallOptions): Promise<wire.ListAuditLogResponse> =>
      endpoint.listAuditLog({ ...options, client, ...(query && { query }) }),
    /** Usage by day. */
    listUsageDays: (
      query?: Query<wire.ListUsageDaysData>,
      options?: CallOptions,
    ): Promise<wire.ListUsageDaysResponse> => endpoint.listUsageDays({ ...options, client, ...(query && { query }) }),
  };
}

function createKeys(client: Client) {
  return {
    /** List API keys. */
    listKeys: (options?: CallOptions): Promise<wire.ListKeysResponse> => endpoint.listKeys({ ...options, client }),
    /** Make an API key. */
    createKey: (body: wire.CreateKeyData['body'], options?: CallOptions): Promise<wire.CreateKeyResponse> =>
      endpoint.createKey({ ...options, client, body }),
    /** Disable an API key. */
    disableKey: (id: string, options?: CallOptions): Promise<wire.DisableKeyResponse> =>
      endpoint.disableKey({ ...options, client, path: { id } }),
    /** Rotate an API key. */
    rotateKey: (id: string, options?: CallOptions): Promise<wire.RotateKeyResponse> =>
      endpoint.rotateKey({ ...options, client, path: { id } }),
  };
}

function createNotifications(client: Client) {
  return {
    /** Read notification settings. */
    getNotifications: (options?: CallOptions): Promise<wire.GetNotificationsResponse> =>
      endpoint.getNotifications({ ...options, client }),
    /** Change notification settings. */
    changeNotifications: (
      body: wire.ChangeNotificationsData['body'],
      options?: CallOptions,
    ): Promise<wire.ChangeNotificationsResponse> => endpoint.changeNotifications({ ...options, client, body }),
    /** List notification channels. */
    listNotificationChannels: (options?: CallOptions): Promise<wire.ListNotificationChannelsResponse> =>
      endpoint.listNotificationChannels({ ...options, client }),
    /** Add a notification channel. */
    createNotificationChannel: (
      body: wire.CreateNotificationChannelData['body'],
      { idempotencyKey, ...options }: CreateOptions = {},
    ): Promise<wire.CreateNotificationChannelResponse> =>
      endpoint.createNotificationChannel({ ...options, client, body, ...keyed(idempotencyKey) }),
    /** Change a notification channel. */
    changeNotificationChannel: (
      id: string,
      body: wire.ChangeNotificationChannelData['body'],
      options?: CallOptions,
    ): Promise<wire.ChangeNotificationChannelResponse> =>
      endpoint.changeNotificationChannel({ ...options, client, path: { id }, body }),
    /** Delete a notification channel. */
    deleteNotificationChannel: (id: string, options?: CallOptions): Promise<wire.DeleteNotificationChannelResponse> =>
      endpoint.deleteNotificationChannel({ ...options, client, path: { id } }),
    /** Send a test message. */
    testNotificationChannel: (id: string, options?: CallOptions): Promise<wire.TestNotificationChannelResponse> =>
      endpoint.testNotificationChannel({ ...options, client, path: { id } }),
    /** Send a test message to a webhook. */
    testWebhook: (id: string, options?: CallOptions): Promise<wire.TestWebhookResponse> =>
      endpoint.testWebhook({ ...options, client, path: { id } }),
  };
}

function createImports(client: Client) {
  return {
    /** List imports. */
    listImports: (query?: Query<wire.ListImportsData>, options?: CallOptions): Promise<wire.ListImportsResponse> =>
      endpoint.listImports({ ...options, client, ...(query && { query }) }),
    /** Begin an import. */
    createImport: (body: wire.CreateImportData['body'], options?: CallOptions): Promise<wire.CreateImportResponse> =>
      endpoint.createImport({ ...options, client, body }),
    /** Read an import. */
    getImport: (id: string, options?: CallOptions): Promise<wire.GetImportResponse> =>
      endpoint.getImport({ ...options, client, path: { id } }),
    /** Change an import. */
    changeImport: (
      id: string,
      body: wire.ChangeImportData['body'],
      options?: CallOptions,
    ): Promise<wire.ChangeImportResponse> => endpoint.changeImport({ ...options, client, path: { id }, body }),
    /** Cancel an import. */
    cancelImport: (id: string, options?: CallOptions): Promise<wire.CancelImportResponse> =>
      endpoint.cancelImport({ ...options, client, path: { id } }),
    /** Send a part of the file, from an offset on. */
    sendImportPart: (
      id: string,
      part: { readonly offset: number; readonly bytes: Blob },
      options?: CallOptions,
    ): Promise<wire.SendImportPartResponse> =>
      endpoint.sendImportPart({
        ...options,
        client,
        path: { id },
        headers: { 'Upload-Offset': String(part.offset) },
        body: part.bytes,
      } as never),
    /** Publish an import. */
    publishImport: (id: string, options?: CallOptions): Promise<wire.PublishImportResponse> =>
      endpoint.publishImport({ ...options, client, path: { id } }),
    /** Undo an import. */
    undoImport: (id: string, options?: CallOptions): Promise<wire.UndoImportResponse> =>
      endpoint.undoImport({ ...options, client, path: { id } }),
    /** Download the rejects of an import. */
    downloadImportRejects: (id: string, options?: CallOptions): Promise<wire.DownloadImportRejectsResponse> =>
      endpoint.downloadImportRejects({ ...options, client, path: { id }, parseAs: 'text' }),
  };
}

function createConnections(client: Client) {
  return {
    /** List connections. */
    listConnections: (options?: CallOptions): Promise<wire.ListConnectionsResponse> =>
      endpoint.listConnections({ ...options, client }),
    /** Connect an account at Amazon. */
    createConnection: (
      body: wire.CreateConnectionData['body'],
      options?: CallOptions,
    ): Promise<wire.CreateConnectionResponse> => endpoint.createConnection({ ...options, client, body }),
    /** Disable or enable a connection. */
    changeConnection: (
      id: string,
      body: wire.ChangeConnectionData['body'],
      options?: CallOptions,
    ): Promise<wire.ChangeConnectionResponse> => endpoint.changeConnection({ ...options, client, path: { id }, body }),
    /** Remove a connection. */
    deleteConnection: (id: string, options?: CallOptions): Promise<wire.DeleteConnectionResponse> =>
      endpoint.deleteConnection({ ...options, client, path: { id } }),
    /** Test a connection. */
    testConnection: (id: string, options?: CallOptions): Promise<wire.TestConnectionResponse> =>
      endpoint.testConnection({ ...options, client, path: { id } }),
    /** Enter new secrets of a connection. */
    rotateConnection: (
      id: string,
      body: wire.RotateConnectionData['body'],
      options?: CallOptions,
    ): Promise<wire.RotateConnectionResponse> => endpoint.rotateConnection({ ...options, client, path: { id }, body }),
    /** Try again at once. */
    retryConnection: (
      id: string,
      body: wire.RetryConnectionData['body'],
      options?: CallOptions,
    ): Promise<wire.RetryConnectionResponse> => endpoint.retryConnection({ ...options, client, path: { id }, body }),
    /** List the downloads of a connection. */
    listConnectionDownloads: (id: string, options?: CallOptions): Promise<wire.ListConnectionDownloadsResponse> =>
      endpoint.listConnectionDownloads({ ...options, client, path: { id } }),
  };
}

function createOrganizations(client: Client) {
  return {
    /** List organizations. */
    listOrganizations: (options?: CallOptions): Promise<wire.ListOrganizationsResponse> =>
      endpoint.listOrganizations({ ...options, client }),
    /** Make an organization. */
    createOrganization: (
      body: wire.CreateOrganizationData['body'],
      options?: CallOptions,
    ): Promise<wire.CreateOrganizationResponse> => endpoint.createOrganization({ ...options, client, body }),
    /** Change an organization's plan. */
    changeOrganization: (
      id: string,
      body: wire.ChangeOrganizationData['body'],
      options?: CallOptions,
    ): Promise<wire.ChangeOrganizationResponse> =>
      endpoint.changeOrganization({ ...options, client, path: { id }, body }),
  };
}
