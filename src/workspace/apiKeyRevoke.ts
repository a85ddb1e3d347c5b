// mutation apiKeyRevoke: within a second the public API does not know the key any more.
import type { MutationApiKeyRevokeArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { AppError } from '../platform/errors.ts';
import { isStorableText } from '../platform/inputRules.ts';
import type { Caller } from './caller.ts';
import { markKeyRevoked } from './workspaceEditsStore.ts';

interface Needs {
  caller: Caller;
  prisma: PrismaClient;
  now(): Date;
}

/** Throws `not_found`. */
export async function apiKeyRevoke(args: MutationApiKeyRevokeArgs, { caller, prisma, now }: Needs): Promise<true> {
  const key = { organizationId: caller.organizationId, publicKey: args.public, now: now() };
  const revoked = isStorableText(args.public) && (await markKeyRevoked(prisma, key));
  if (!revoked) throw new AppError('not_found', undefined);
  return true;
}
