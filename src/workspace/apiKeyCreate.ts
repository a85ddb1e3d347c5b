// mutation apiKeyCreate: one more key of an application, beside those that are live.
import type { MutationApiKeyCreateArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { Encryption } from '../platform/encryption.ts';
import { AppError } from '../platform/errors.ts';
import { newApiKey } from './apiKey.ts';
import { insertApiKey } from './applicationsStore.ts';
import { seenBy, type Caller } from './caller.ts';
import type { SeenApiKey } from './nestedFields.ts';
import { findOwnApplication } from './workspaceStore.ts';

interface Needs {
  caller: Caller;
  prisma: PrismaClient;
  encryption: Encryption;
}

/** Throws `not_found` (the application). */
export async function apiKeyCreate(
  { applicationId }: MutationApiKeyCreateArgs,
  { caller, prisma, encryption }: Needs,
): Promise<SeenApiKey> {
  const { organizationId } = caller;
  if (!(await findOwnApplication(prisma, { organizationId, id: applicationId }))) {
    throw new AppError('not_found', undefined);
  }
  const key = newApiKey();
  const row = await insertApiKey(prisma, encryption, { applicationId, key });
  return seenBy(caller, row);
}
