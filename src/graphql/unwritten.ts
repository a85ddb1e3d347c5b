// The root fields of schema.graphql without an operation yet: they answer NOT_IMPLEMENTED, and this list may only shrink.
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql.ts';
import { AppError } from '../platform/errors.ts';

type RootField = keyof QueryResolvers | keyof MutationResolvers;

export const unwritten: readonly RootField[] = [];

/** The resolver keeps the name `notImplemented`, by which a test compares the resolver list with the list above. */
export function notImplemented(operation: (typeof unwritten)[number]): () => never {
  return function notImplemented() {
    throw new AppError('not_implemented', { operation });
  };
}
