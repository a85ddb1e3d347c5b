// Puts the role check of the access table before every root field's operation.
import type { GraphQLResolveInfo } from 'graphql';
import { AppError } from '../platform/errors.ts';
import { isAtLeast } from '../workspace/caller.ts';
import { accessOf, type Access } from './access.ts';
import type { AdminContext, CallerContext } from './context.ts';
import { selectedBelow } from './selectedFields.ts';

type Call = (args: unknown, context: AdminContext) => unknown;
export type RootResolver = (parent: unknown, args: unknown, ...given: [AdminContext, GraphQLResolveInfo]) => unknown;

export function guarded(root: 'Query' | 'Mutation', operations: object): Record<string, RootResolver> {
  return Object.fromEntries(
    Object.entries(operations).map(([field, operation]) => [
      field,
      guard(operation as Call, accessOf(root, field) ?? 'owner'),
    ]),
  );
}

function guard(operation: Call, least: Access): RootResolver {
  if (least === 'public') return (_parent, args, context) => operation(args, context);
  return async (_parent, args, ...[context, info]) => {
    const caller = await context.authenticate();
    if (!caller) throw new Error('a protected field was reached without a caller');
    if (!isAtLeast(caller.role, least)) throw new AppError('forbidden', undefined);
    const given: CallerContext = { ...context, caller, selects: (field) => selectedBelow(info).has(field) };
    return operation(args, given);
  };
}
