// Checks the caller's role before every root field's operation, and logs each authentication attempt.
import type { GraphQLResolveInfo } from 'graphql';
import type { MutationResolvers } from '../../generated/graphql.ts';
import { loggedNetwork } from '../accounts/networkOf.ts';
import { AppError } from '../platform/errors.ts';
import { isAtLeast } from '../workspace/caller.ts';
import { accessOf } from './access.ts';
import { isForServices } from './serviceAccess.ts';
import type { AdminContext, CallerContext } from './context.ts';
import { graphqlCode } from './errors.ts';
import { selects } from './selectedFields.ts';
import { boundStored } from './storedBytes.ts';

type Call<Context = CallerContext> = (args: unknown, context: Context) => unknown;
export type RootResolver = (parent: unknown, args: unknown, ...given: [AdminContext, GraphQLResolveInfo]) => unknown;

type Root = 'Query' | 'Mutation';

/** These compare a password although the caller has a bearer, which may be stolen. */
const comparing = new Set<string>([
  'accountDelete',
  'emailChange',
  'passwordChange',
] satisfies (keyof MutationResolvers)[]);

export function guarded(root: Root, operations: object): Record<string, RootResolver> {
  return Object.fromEntries(
    Object.entries(operations).map(([field, operation]) => [field, guard(root, field, operation as Call)]),
  );
}

function guard(root: Root, field: string, operation: Call): RootResolver {
  const least = accessOf(root, field) ?? 'owner';
  if (least === 'public') {
    const open = operation as Call<AdminContext>;
    const call = root === 'Mutation' ? logged(field, open) : open;
    return (_parent, args, context) => call(args, context);
  }
  const bounded = root === 'Mutation' ? boundStored(field, operation) : operation;
  const call = comparing.has(field) ? logged(field, bounded) : bounded;
  return async (_parent, args, ...[context, info]) => {
    const caller = await context.authenticate();
    if (!caller) throw new Error('a protected field was reached without a caller');
    if (caller.service && !isForServices(root, field)) throw new AppError('forbidden', undefined);
    if (!isAtLeast(caller.role, least)) throw new AppError('forbidden', undefined);
    // `boundStored` counts them for a mutation; a query writes none.
    const wroteDeliveries = (): void => undefined;
    const given: CallerContext = { ...context, caller, wroteDeliveries, selects: (path) => selects(info, path) };
    return call(args, given);
  };
}

/**
 * For the public mutations and those that compare a password. Each field has its own log line, independent of the
 * fields beside it.
 */
function logged<Context extends AdminContext>(field: string, operation: Call<Context>): Call<Context> {
  return async (args, context) => {
    const note = (outcome: string): void => {
      const network = loggedNetwork(context.address);
      // What the service itself failed at says nothing about the caller: at warn an outage fills no log.
      const level = outcome === 'INTERNAL_SERVER_ERROR' ? 'warn' : 'info';
      context.log[level]({ operation: field, outcome, network }, 'authentication');
    };
    try {
      const result = await operation(args, context);
      note('OK');
      return result;
    } catch (error) {
      note(graphqlCode(error));
      throw error;
    }
  };
}
