// mutation applicationDelete: its keys answer 404 as soon as the directories of all processes have forgotten them.
import type { MutationApplicationDeleteArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { AppError } from '../platform/errors.ts';
import type { Caller } from './caller.ts';
import { markApplicationDeleted } from './workspaceEditsStore.ts';

interface Needs {
  caller: Caller;
  prisma: PrismaClient;
  now(): Date;
}

/** Throws `not_found`. */
export async function applicationDelete(
  { id }: MutationApplicationDeleteArgs,
  { caller, prisma, now }: Needs,
): Promise<true> {
  const own = { organizationId: caller.organizationId, id };
  if (!(await markApplicationDeleted(prisma, own, now()))) throw new AppError('not_found', undefined);
  return true;
}
