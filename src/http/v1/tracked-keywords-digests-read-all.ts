import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { answerJson, jsonSuccess, literalField } from '../schemas.ts';

/** Spec 4.6. */
export const readAllDigests = defineEndpoint({
  method: 'POST',
  path: '/v1/tracked-keywords/digests/read-all',
  operationId: 'readAllDigests',
  summary: 'Mark all digests as read',
  description:
    "Marks all of the caller's own digests in this organization as read, and says how many were not. Takes no body.",
  tag: 'Tracked keywords',
  scope: 'tracked:write',
  parameters: {},
  success: jsonSuccess({ success: Type.Literal(true), updated_count: Type.Integer({ minimum: 0 }) }),
  failureFields: () => ({ success: literalField(false), updated_count: literalField(0) }),
  handle: async ({ caller, resources }) => {
    const updatedCount = await resources.digests.readAll(caller);
    return answerJson({ success: true, updated_count: updatedCount });
  },
});
