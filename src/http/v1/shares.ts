import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { parseMarketplace } from '../../domain/published-ranks.ts';
import { planSearch } from '../../domain/search-plan.ts';
import { generateShareToken, MAX_SHARE_DAYS, MAX_SHARES, type NewShare, type ShareId } from '../../domain/share.ts';
import { MAX_NAME_CHARACTERS } from '../../domain/shared-item.ts';
import { requireScope } from '../auth.ts';
import { defineEndpoint, type RequestContext } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import type { Parameters } from '../parameters.ts';
import { answerJson, jsonSuccess, PaginationSchema, presentPagination } from '../schemas.ts';
import { SHARES_PATH } from '../shared-calls.ts';
import { sliceParameters } from './lists.ts';
import { LIST } from './lists-id.ts';
import { openRequestedView } from './requested-view.ts';
import { toSearchQuery } from './search-query-parameters.ts';
import { type NewShareBody, newShareBody, presentShare, ShareSchema } from './share-fields.ts';
import { listTargets, type SharedThing, targetsOfChart, targetsOfSearch } from './share-targets.ts';

const DAY_MS = 24 * 3600 * 1000;

export const listShares = defineEndpoint({
  method: 'GET',
  path: SHARES_PATH,
  operationId: 'listShares',
  summary: 'List shares',
  description:
    'The links that members of the organization made and that have not ended, without their tokens. With the token of a share in ' +
    'place of a key: that share alone. Costs no quota.',
  tag: 'Shares',
  scope: 'tracked:read',
  parameters: sliceParameters,
  success: jsonSuccess({ data: Type.Array(ShareSchema), pagination: PaginationSchema }),
  handle: async (context) => {
    const { caller, parameters, resources } = context;
    const selection = caller.share?.id as ShareId | undefined;
    const { items, totalCount } = await resources.shares.list(caller, { ...parameters, selection });
    const data = items.map((share) => presentShare(share, context));
    return answerJson({ data, pagination: presentPagination(parameters, totalCount) });
  },
});

export const createShare = defineEndpoint({
  method: 'POST',
  path: SHARES_PATH,
  operationId: 'createShare',
  summary: 'Share a chart, a search or a list',
  description:
    'Makes a link that shows one thing to whoever has it, read-only, without signing in. Its searches count as the organization’s, ' +
    'within a small cap. It ends on its day, when it is deleted, and with the membership of its maker, the key that made it and the ' +
    `subscription. The token is told once. At most ${MAX_SHARES} per organization, for at most ${MAX_SHARE_DAYS} days.`,
  tag: 'Shares',
  scope: 'tracked:write',
  action: 'share',
  parameters: {},
  body: newShareBody,
  codes: ['CONFLICT', 'NOT_FOUND'],
  success: {
    status: 201,
    ...jsonSuccess({
      data: ShareSchema,
      token: Type.String({
        description: 'Opens the share, as `Authorization: Bearer` of its calls too. Told only now.',
      }),
      path: Type.String({ description: 'Where the page shows it.' }),
    }),
  },
  handle: async (context) => {
    const { caller, body, resources } = context;
    const thing = await findThing(context, body);
    const token = generateShareToken(randomBytes);
    const item: NewShare = {
      ...thing,
      title: body.title ?? shortened(thing.title),
      endsAt: new Date(resources.now().getTime() + body.days * DAY_MS),
      ...{ token, userId: caller.userId, keyId: caller.keyId },
    };
    const share = await resources.shares.add(caller, { item, idempotency: undefined });
    return answerJson({ data: presentShare(share, context), token, path: `/s/${token}` });
  },
});

/** What is shared, if whoever shares it may see it. */
async function findThing(context: RequestContext<Parameters, NewShareBody>, body: NewShareBody): Promise<SharedThing> {
  const { caller, plan, resources } = context;
  if (body.list_id !== undefined) {
    const list = await resources.lists.find(caller, body.list_id);
    if (!list) throw noSuchItem(LIST);
    return { kind: 'list', title: list.name, listId: list.id, targets: listTargets(list.id) };
  }
  requireScope({ caller }, 'search');
  const { thing, values } =
    body.chart === undefined
      ? targetsOfSearch(body.search ?? '', resources.ranks)
      : targetsOfChart(body.chart, resources.ranks);
  parseMarketplace(values.marketplace, resources.ranks);
  // Whatever is wrong with it is found now, and not by its readers.
  const query = toSearchQuery(values);
  using view = openRequestedView({ caller, parameters: { marketplace: values.marketplace }, resources }, query);
  planSearch(query, { plan, published: view?.periods ?? [] });
  return thing;
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length > MAX_NAME_CHARACTERS ? `${characters.slice(0, MAX_NAME_CHARACTERS - 1).join('')}…` : text;
}
