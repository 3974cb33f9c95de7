// What adding to a list of tracked items answers with, for keywords and products alike.
import { type TSchema, Type } from 'typebox';
import type { TrackingOutcome } from '../../domain/tracked-item.ts';
import type { Answer } from '../endpoint.ts';
import { answerJson, successSchema } from '../schemas.ts';

/** One item, or a list with counts. */
export function trackingSuccess(item: TSchema) {
  return {
    status: 201,
    contentType: 'application/json',
    schema: {
      anyOf: [
        successSchema({ data: item }),
        successSchema({
          data: Type.Array(item),
          created_count: Type.Integer({ minimum: 0, description: 'How many are new.' }),
          existing_count: Type.Integer({ minimum: 0, description: 'How many were tracked already.' }),
        }),
      ],
    } as ReturnType<typeof successSchema>,
  } as const;
}

export function presentTracking<Item>(
  added: readonly TrackingOutcome<Item>[] | { readonly answer: string },
  { isSingle, present }: { readonly isSingle: boolean; readonly present: (item: Item) => object },
): Answer {
  if ('answer' in added) return { body: added.answer };
  const data = added.map(({ item }) => present(item));
  if (isSingle) return answerJson({ data: data[0] });
  const createdCount = added.filter(({ isNew }) => isNew).length;
  return answerJson({ data, created_count: createdCount, existing_count: data.length - createdCount });
}
