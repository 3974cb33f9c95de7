import { parseMarketplace } from '../../domain/published-ranks.ts';
import type { RankSet, RankView } from '../../domain/store.ts';
import type { RequestContext } from '../endpoint.ts';
import type { Parameters } from '../parameters.ts';

type Question = Pick<RequestContext<Parameters>, 'caller' | 'resources'> & {
  readonly parameters: { readonly marketplace: string | undefined };
};

/** The rank data that a request asks about, as of now. Undefined while its marketplace has none of them. */
export function openRequestedView(
  { caller, parameters, resources: { ranks } }: Question,
  { frequency, source = 'search' }: Pick<RankSet, 'frequency'> & Partial<Pick<RankSet, 'source'>>,
): RankView | undefined {
  const marketplace = parseMarketplace(parameters.marketplace, ranks);
  return ranks.openView({ marketplace, frequency, source }, caller.organizationId);
}
