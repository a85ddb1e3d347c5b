// mutation projectDelete: a project and its applications are gone for everybody at once.
import type { MutationProjectDeleteArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { audit } from '../audit/audit.ts';
import { AppError } from '../platform/errors.ts';
import type { Caller } from './caller.ts';
import { addRemovalJobs } from './removalJobs.ts';
import { markProjectDeleted } from './workspaceEditsStore.ts';

interface Needs {
  caller: Caller;
  prisma: PrismaClient;
  now(): Date;
}

/** Throws `not_found`. */
export async function projectDelete({ id }: MutationProjectDeleteArgs, { caller, prisma, now }: Needs): Promise<true> {
  const own = { organizationId: caller.organizationId, id };
  const at = now();
  await prisma.$transaction(async (transaction) => {
    const applications = await markProjectDeleted(transaction, own, at);
    if (!applications) throw new AppError('not_found', undefined);
    await addRemovalJobs(transaction, applications, at);
    const entry = { action: 'projectDelete', objectType: 'project', objectId: id } as const;
    await audit(transaction, caller, { ...entry, details: { applications } });
  });
  return true;
}
