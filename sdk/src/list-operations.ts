// What the members of an organization keep together: lists, saved searches, notes on the chart.
import { type CallOptions, type CreateOptions, keyed } from './call-options.ts';
import type { Client } from './generated/client/index.ts';
import * as endpoint from './generated/sdk.gen.ts';
import type * as wire from './generated/types.gen.ts';

type Query<Data extends { query?: unknown }> = NonNullable<Data['query']>;

export function createLists(client: Client) {
  return {
    ...createKeywordLists(client),
    ...createSavedSearches(client),
    ...createChartNotes(client),
  };
}

function createKeywordLists(client: Client) {
  return {
    /** The lists of the organization. */
    listLists: (query?: Query<wire.ListListsData>, options?: CallOptions): Promise<wire.ListListsResponse> =>
      endpoint.listLists({ ...options, client, query }),
    /** Makes an empty list. */
    createList: (
      body: wire.CreateListData['body'],
      { idempotencyKey, ...options }: CreateOptions = {},
    ): Promise<wire.CreateListResponse> =>
      endpoint.createList({
        ...options,
        client,
        body,
        ...keyed(idempotencyKey),
      }),
    /** One list, with how much stands in it. */
    getList: (id: string, options?: CallOptions): Promise<wire.GetListResponse> =>
      endpoint.getList({ ...options, client, path: { id } }),
    /** Renames a list, or changes its notes or its rule. */
    changeList: (
      id: string,
      body: wire.ChangeListData['body'],
      options?: CallOptions,
    ): Promise<wire.ChangeListResponse> => endpoint.changeList({ ...options, client, path: { id }, body }),
    /** Removes a list with its items. */
    deleteList: (id: string, options?: CallOptions): Promise<wire.DeleteListResponse> =>
      endpoint.deleteList({ ...options, client, path: { id } }),
    /** The keywords and products of a list, with their snapshots. */
    listListItems: (
      id: string,
      query?: Query<wire.ListListItemsData>,
      options?: CallOptions,
    ): Promise<wire.ListListItemsResponse> =>
      endpoint.listListItems({ ...options, client, path: { id }, ...(query && { query }) }),
    /** Adds up to 1,000 keywords and products. */
    addListItems: (
      id: string,
      body: wire.AddListItemsData['body'],
      { idempotencyKey, ...options }: CreateOptions = {},
    ): Promise<wire.AddListItemsResponse> =>
      endpoint.addListItems({
        ...options,
        client,
        path: { id },
        body,
        ...keyed(idempotencyKey),
      }),
    /** Removes items from a list. */
    removeListItems: (
      id: string,
      body: wire.RemoveListItemsData['body'],
      options?: CallOptions,
    ): Promise<wire.RemoveListItemsResponse> => endpoint.removeListItems({ ...options, client, path: { id }, body }),
    /** Tags and untags items of a list, all of them or none. */
    tagListItems: (
      id: string,
      body: wire.TagListItemsData['body'],
      options?: CallOptions,
    ): Promise<wire.TagListItemsResponse> => endpoint.tagListItems({ ...options, client, path: { id }, body }),
    /** Changes the tags or the notes of an item. */
    changeListItem: (
      id: string,
      body: wire.ChangeListItemData['body'],
      options?: CallOptions,
    ): Promise<wire.ChangeListItemResponse> => endpoint.changeListItem({ ...options, client, path: { id }, body }),
    /** A list as a file. */
    exportList: (id: string, query?: Query<wire.ExportListData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportList({ ...options, client, path: { id }, parseAs: 'blob', ...(query && { query }) }),
  };
}

function createSavedSearches(client: Client) {
  return {
    /** The saved searches of the organization. */
    listSavedSearches: (
      query?: Query<wire.ListSavedSearchesData>,
      options?: CallOptions,
    ): Promise<wire.ListSavedSearchesResponse> => endpoint.listSavedSearches({ ...options, client, query }),
    /** Keeps the address of a search under a name. */
    createSavedSearch: (
      body: wire.CreateSavedSearchData['body'],
      { idempotencyKey, ...options }: CreateOptions = {},
    ): Promise<wire.CreateSavedSearchResponse> =>
      endpoint.createSavedSearch({
        ...options,
        client,
        body,
        ...keyed(idempotencyKey),
      }),
    /** One saved search. */
    getSavedSearch: (id: string, options?: CallOptions): Promise<wire.GetSavedSearchResponse> =>
      endpoint.getSavedSearch({ ...options, client, path: { id } }),
    /** Changes its name or its address. */
    changeSavedSearch: (
      id: string,
      body: wire.ChangeSavedSearchData['body'],
      options?: CallOptions,
    ): Promise<wire.ChangeSavedSearchResponse> =>
      endpoint.changeSavedSearch({ ...options, client, path: { id }, body }),
    /** Removes a saved search. */
    deleteSavedSearch: (id: string, options?: CallOptions): Promise<wire.DeleteSavedSearchResponse> =>
      endpoint.deleteSavedSearch({ ...options, client, path: { id } }),
  };
}

function createChartNotes(client: Client) {
  return {
    /** Notes on the chart, by date. */
    listChartNotes: (
      query?: Query<wire.ListChartNotesData>,
      options?: CallOptions,
    ): Promise<wire.ListChartNotesResponse> => endpoint.listChartNotes({ ...options, client, query }),
    /** Notes an event on the chart of one keyword, or on every chart. */
    createChartNote: (
      body: wire.CreateChartNoteData['body'],
      { idempotencyKey, ...options }: CreateOptions = {},
    ): Promise<wire.CreateChartNoteResponse> =>
      endpoint.createChartNote({
        ...options,
        client,
        body,
        ...keyed(idempotencyKey),
      }),
    /** One note. */
    getChartNote: (id: string, options?: CallOptions): Promise<wire.GetChartNoteResponse> =>
      endpoint.getChartNote({ ...options, client, path: { id } }),
    /** Changes a note. */
    changeChartNote: (
      id: string,
      body: wire.ChangeChartNoteData['body'],
      options?: CallOptions,
    ): Promise<wire.ChangeChartNoteResponse> => endpoint.changeChartNote({ ...options, client, path: { id }, body }),
    /** Removes a note. */
    deleteChartNote: (id: string, options?: CallOptions): Promise<wire.DeleteChartNoteResponse> =>
      endpoint.deleteChartNote({ ...options, client, path: { id } }),
  };
}
