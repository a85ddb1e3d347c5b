// Refuses an application that the caller does not reach, for the queries that name one.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { AppError } from '../platform/errors.ts';
import { reaches, type Caller } from './caller.ts';
import { findOwnApplication } from './workspaceStore.ts';

interface Needs {
  caller: Caller;
  prisma: PrismaClient;
}

/** Throws `not_found`. */
export async function assertOwnApplication({ caller, prisma }: Needs, id: string): Promise<void> {
  const { organizationId } = caller;
  if (reaches(caller, id) && (await findOwnApplication(prisma, { organizationId, id }))) return;
  throw new AppError('not_found', undefined);
}
