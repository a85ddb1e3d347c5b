// mutation projectDelete: a project and its applications are gone for everybody at once.
import type { MutationProjectDeleteArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { AppError } from '../platform/errors.ts';
import type { Caller } from './caller.ts';
import { markProjectDeleted } from './workspaceEditsStore.ts';

interface Needs {
  caller: Caller;
  prisma: PrismaClient;
  now(): Date;
}

/** Throws `not_found`. */
export async function projectDelete({ id }: MutationProjectDeleteArgs, { caller, prisma, now }: Needs): Promise<true> {
  const own = { organizationId: caller.organizationId, id };
  const deleted = await prisma.$transaction((transaction) => markProjectDeleted(transaction, own, now()));
  if (!deleted) throw new AppError('not_found', undefined);
  return true;
}
