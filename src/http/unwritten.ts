// The operations of openapi.yaml without a handler yet: they answer 501, and this list may only shrink.
import { AppError } from '../platform/errors.ts';
import type { OperationId } from './operationTypes.ts';

export const unwritten = ['reportAttribution', 'getCampaigns'] as const satisfies readonly OperationId[];

/** The handler keeps the name `notImplemented`, by which a test compares the operation list with the list above. */
export function notImplemented(operation: (typeof unwritten)[number]): () => Promise<never> {
  return async function notImplemented() {
    throw new AppError('not_implemented', { operation });
  };
}
