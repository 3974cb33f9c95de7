// A saved search on the wire, and the fields that a caller writes.
import { type Static, Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import { MAX_ADDRESS_CHARACTERS, type SavedSearch } from '../../domain/saved-search.ts';
import { type Field, parseText } from '../body.ts';
import { parseQueryString } from '../query-string.ts';
import { strictObject } from '../schemas.ts';
import { VIEW_PATHS } from '../web-files.ts';
import { itemTimes, nameField, presentTimes } from './list-fields.ts';
import { searchParameters } from './search-parameters.ts';

export const SavedSearchSchema = strictObject({
  id: Type.String({ format: 'uuid' }),
  ...itemTimes,
  name: Type.String(),
  address: Type.String({ description: 'Path and query of the page that shows it.' }),
});

export function presentSavedSearch(search: SavedSearch): Static<typeof SavedSearchSchema> {
  const { id, name, address } = search;
  return { id, ...presentTimes(search), name, address };
}

const EXAMPLE = '/?query=snow+boots&max_rank=5000';

const address: Field<string> = {
  schema: Type.String({
    description:
      'Path and query of the page. Behind `/?` stand the parameters of a keyword search, which are checked; what else the page keeps ' +
      'in its address may stand beside them.',
    maxLength: MAX_ADDRESS_CHARACTERS,
    pattern: '^/',
  }),
  isRequired: true,
  absent: '',
  parse: (name, value) => parseAddress(name, parseText(name, value, MAX_ADDRESS_CHARACTERS)),
};

export const newSearchFields = { name: nameField, address };

/** An address of this page and no other, in its canonical form. */
function parseAddress(name: string, text: string): string {
  // Two slashes would lead to another host, and a backslash is read as a slash.
  const isLocal = /^\/(?![/\\])/.test(text) && URL.canParse(text, 'http://page');
  const url = isLocal ? new URL(text, 'http://page') : undefined;
  const fault = !url
    ? 'must be a path of the page with its query'
    : url.hash !== '' || text.includes('#')
      ? 'must have no fragment, which can hold a key'
      : !VIEW_PATHS.some((path) => path === url.pathname)
        ? 'must lead to a view of the page'
        : undefined;
  if (!url || fault !== undefined) {
    throw new RequestError(
      'INVALID_PARAMETERS',
      `Field '${name}' ${fault}.`,
      `Use for example "${name}": "${EXAMPLE}".`,
    );
  }
  checkParameters(url);
  const canonical = url.pathname + url.search;
  if (canonical.length <= MAX_ADDRESS_CHARACTERS) return canonical;
  const message = `Field '${name}' has ${canonical.length} characters when it is encoded, and at most ${MAX_ADDRESS_CHARACTERS} are allowed.`;
  throw new RequestError('INVALID_PARAMETERS', message, 'Leave out some of its parameters.');
}

function checkParameters({ pathname, search }: URL): void {
  const given = parseQueryString(search.slice(1));
  if (pathname !== '/') return;
  for (const [name, parameter] of Object.entries(searchParameters)) {
    const values = given.get(name);
    if (values) parameter.parse(name, values);
  }
}
