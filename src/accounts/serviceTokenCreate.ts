// mutation serviceTokenCreate: makes a token for a program, and shows it once.
import type { MutationServiceTokenCreateArgs, ServiceTokenCreateInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { assertRoom, type EveryField, inputRules, newId } from '../platform/inputRules.ts';
import { AppError } from '../platform/errors.ts';
import type { EditNeeds } from '../workspace/workspace.ts';
import { lockOrganization } from '../workspace/workspaceEditsStore.ts';
import { newServiceToken } from './authenticate.ts';
import type { ServiceTokenRecord } from './serviceTokens.ts';

const roles = ['viewer', 'editor', 'admin'] as const;
const mostApplications = 200;
/** Of an organization, revoked ones not counted. */
const mostTokens = 1_000;

/** Throws `validation_failed`, `not_found` (an application). */
export async function serviceTokenCreate(
  { input }: MutationServiceTokenCreateArgs,
  { caller, adminPool, now }: EditNeeds,
): Promise<{ token: string; serviceToken: ServiceTokenRecord }> {
  const createdAt = now();
  const wanted = read(input, createdAt);
  const { organizationId, email: createdBy } = caller;
  const { token, hash } = newServiceToken();
  const serviceToken = { id: newId(), ...wanted, createdAt, createdBy, lastUsedAt: null };
  await inTransaction(adminPool, async (transaction) => {
    const { prisma } = transaction;
    const { applicationIds, ...fields } = serviceToken;
    if (applicationIds) {
      const own = { id: { in: applicationIds }, deletedAt: null, project: { organizationId } };
      const found = await prisma.application.count({ where: own });
      if (found < applicationIds.length) throw new AppError('not_found', undefined);
    }
    await lockOrganization(transaction, organizationId);
    const count = await prisma.serviceToken.count({ where: { organizationId, revokedAt: null } });
    assertRoom({ count, most: mostTokens, path: 'input', objects: 'service tokens' });
    // The column stays NULL where the list is left out.
    const within = applicationIds && { applicationIds };
    await prisma.serviceToken.createMany({ data: { organizationId, hash, ...fields, ...within } });
    const line = { action: 'serviceTokenCreate', objectType: 'serviceToken', objectId: fields.id } as const;
    const { name, role, expiresAt } = wanted;
    await audit(transaction, caller, { ...line, details: { name, role, applicationIds, expiresAt } });
  });
  return { token, serviceToken };
}

type Fields = Record<'name' | 'role' | 'applicationIds' | 'expiresAt', true>;

function read(input: EveryField<ServiceTokenCreateInput, Fields>, now: Date) {
  const rules = inputRules();
  const name = rules.name('input.name', input.name);
  const role = rules.oneOf('input.role', input.role, roles);
  const applicationIds = input.applicationIds ? [...new Set(input.applicationIds)] : null;
  // An empty list would be read as no restriction by some, and as no application by others.
  if (applicationIds && (applicationIds.length === 0 || applicationIds.length > mostApplications)) {
    rules.refuse('input.applicationIds', `must have 1 to ${mostApplications} applications`);
  }
  const expiresAt = input.expiresAt ?? null;
  if (expiresAt && expiresAt <= now) rules.refuse('input.expiresAt', 'must be in the future');
  rules.assert();
  return { name, role: role!, applicationIds, expiresAt };
}
