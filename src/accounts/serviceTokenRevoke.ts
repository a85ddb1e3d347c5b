// mutation serviceTokenRevoke: ends a service token for good.
import type { MutationServiceTokenRevokeArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { EditNeeds } from '../workspace/workspace.ts';

/** Throws `not_found`. */
export async function serviceTokenRevoke(
  { id }: MutationServiceTokenRevokeArgs,
  { caller, adminPool, now }: EditNeeds,
): Promise<true> {
  const { organizationId } = caller;
  await inTransaction(adminPool, async (transaction) => {
    const [revoked] = await transaction.prisma.serviceToken.updateManyAndReturn({
      where: { id, organizationId, revokedAt: null },
      data: { revokedAt: now() },
      select: { name: true },
    });
    if (!revoked) throw new AppError('not_found', undefined);
    const entry = { action: 'serviceTokenRevoke', objectType: 'serviceToken', objectId: id } as const;
    await audit(transaction, caller, { ...entry, details: revoked });
  });
  return true;
}
