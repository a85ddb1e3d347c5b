// Makes service tokens: by the mutation, or directly in the database.
import { newServiceToken as generate } from '../../src/accounts/authenticate.ts';
import type { ServiceRole } from '../../src/accounts/serviceTokens.ts';
import type { TestService } from './testService.ts';
import type { TestUser } from './testUsers.ts';

export interface GivenServiceToken {
  id: string;
  token: string;
}

/** By `serviceTokenCreate`. */
export async function newServiceToken(
  { ask }: Pick<TestUser, 'ask'>,
  input: Record<string, unknown> = {},
): Promise<GivenServiceToken> {
  const query = `mutation Create($input: ServiceTokenCreateInput!) {
    serviceTokenCreate(input: $input) { token serviceToken { id } }
  }`;
  const { data, errors } = await ask(query, { input: { name: 'Server', role: 'viewer', ...input } });
  expect(errors).toEqual([]);
  const { token, serviceToken } = data!['serviceTokenCreate'] as { token: string; serviceToken: { id: string } };
  return { id: serviceToken.id, token };
}

export async function storeServiceToken(
  { database }: Pick<TestService, 'database'>,
  wanted: {
    organizationId: string;
    role?: ServiceRole;
    name?: string;
    applicationIds?: string[] | null;
    expiresAt?: Date | null;
  },
): Promise<GivenServiceToken> {
  const { token, hash } = generate();
  const { applicationIds, ...fields } = { role: 'viewer' as const, name: 'Server', ...wanted };
  const { id } = await database.prisma.serviceToken.create({
    data: { hash, createdBy: 'ann@example.com', ...fields, ...(applicationIds && { applicationIds }) },
  });
  return { id, token };
}
