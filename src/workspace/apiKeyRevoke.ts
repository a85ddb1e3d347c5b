// mutation apiKeyRevoke: revokes a key, so that within a second the public API no longer knows it.
import type { MutationApiKeyRevokeArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { isStorableText } from '../platform/inputRules.ts';
import type { EditNeeds } from './workspace.ts';

/** Erases the secret too. Throws `not_found`. */
export async function apiKeyRevoke(
  args: MutationApiKeyRevokeArgs,
  { caller, adminPool, now }: EditNeeds,
): Promise<true> {
  if (!isStorableText(args.public)) throw new AppError('not_found', undefined);
  const { organizationId } = caller;
  const live = { revokedAt: null, application: { deletedAt: null, project: { organizationId } } };
  await inTransaction(adminPool, async (transaction) => {
    const [details] = await transaction.prisma.apiKey.updateManyAndReturn({
      where: { public: args.public, ...live },
      data: { revokedAt: now(), secretEncrypted: new Uint8Array() },
      select: { applicationId: true },
    });
    if (!details) throw new AppError('not_found', undefined);
    await audit(transaction, caller, { action: 'apiKeyRevoke', objectType: 'apiKey', objectId: args.public, details });
  });
  return true;
}
