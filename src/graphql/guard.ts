// Puts the role check of the access table before every root field's operation, and has attempts to get in logged.
import type { GraphQLResolveInfo } from 'graphql';
import { AppError } from '../platform/errors.ts';
import { isAtLeast } from '../workspace/caller.ts';
import { accessOf } from './access.ts';
import type { AdminContext, CallerContext } from './context.ts';
import { logged } from './securityLog.ts';
import { selects } from './selectedFields.ts';

type Call = (args: unknown, context: AdminContext) => unknown;
export type RootResolver = (parent: unknown, args: unknown, ...given: [AdminContext, GraphQLResolveInfo]) => unknown;

type Root = 'Query' | 'Mutation';

export function guarded(root: Root, operations: object): Record<string, RootResolver> {
  return Object.fromEntries(
    Object.entries(operations).map(([field, operation]) => [field, guard(root, field, operation as Call)]),
  );
}

function guard(root: Root, field: string, operation: Call): RootResolver {
  const least = accessOf(root, field) ?? 'owner';
  if (least === 'public') {
    const call = root === 'Mutation' ? logged(field, operation) : operation;
    return (_parent, args, context) => call(args, context);
  }
  return async (_parent, args, ...[context, info]) => {
    const caller = await context.authenticate();
    if (!caller) throw new Error('a protected field was reached without a caller');
    if (!isAtLeast(caller.role, least)) throw new AppError('forbidden', undefined);
    const given: CallerContext = { ...context, caller, selects: (path) => selects(info, path) };
    return operation(args, given);
  };
}
