// Creates logged-in users directly in the database: tests of other features need no password hash.
import { randomUUID } from 'node:crypto';
import { newId } from '../../src/platform/inputRules.ts';
import type { Role } from '../../src/workspace/workspace.ts';
import { askAdmin, type AdminResponse } from './adminClient.ts';
import type { TestService } from './testService.ts';

export interface TestUser {
  id: string;
  email: string;
  organizationId: string;
  sessionId: string;
  token: string;
  ask: (query: string, variables?: Record<string, unknown>) => Promise<AdminResponse>;
}

/** The hash of a random password. */
const nobodysHash = '$argon2id$v=19$m=19456,p=1,t=2$dK4965QIjPXIwIY+GgVcbQ$oq7BVgh59w0aTjUVBJCiQYIiEt3SmBSJSCDQCyQbZcY';

export async function newOrganization({ database }: TestService, name = 'An organization'): Promise<string> {
  const { id } = await database.prisma.organization.create({ data: { name } });
  return id;
}

export async function newUser(service: TestService, organizationId: string, role: Role = 'owner'): Promise<TestUser> {
  const { prisma } = service.database;
  const email = `${role}-${randomUUID()}@example.com`;
  const now = service.deps.now();
  const { id } = await prisma.user.create({
    data: { email, name: `The ${role}`, passwordHash: nobodysHash, emailVerifiedAt: now },
  });
  await prisma.membership.create({ data: { userId: id, organizationId, role, status: 'active', acceptedAt: now } });
  const sessionId = newId();
  const expiresAt = new Date(now.getTime() + 90 * 24 * 3_600_000);
  const times = { createdAt: now, lastUsedAt: now, expiresAt };
  await prisma.loginSession.create({ data: { id: sessionId, userId: id, organizationId, ...times } });
  const token = await service.deps.accessTokens.issue({ userId: id, sessionId }, now);
  const ask: TestUser['ask'] = (query, variables) => askAdmin(service.url, { query, variables, token });
  return { id, email, organizationId, sessionId, token, ask };
}

/** Changes the user's membership in the organization of their token. */
export async function putMembership(
  { database }: Pick<TestService, 'database'>,
  { id: userId, organizationId }: Pick<TestUser, 'id' | 'organizationId'>,
  data: { role?: Role; status?: 'active' | 'disabled' },
): Promise<void> {
  await database.prisma.membership.updateMany({ where: { userId, organizationId }, data });
}

/** An invitation without a mail. */
export async function newInvitation(
  { database }: TestService,
  organizationId: string,
  { email = `${randomUUID()}@example.com`, role = 'viewer' }: { email?: string; role?: Role } = {},
): Promise<{ id: string; email: string }> {
  const data = { organizationId, invitedEmail: email, role, status: 'invited' } as const;
  const { id } = await database.prisma.membership.create({ data });
  return { id, email };
}

export async function organizationOf({ database }: TestService, applicationId: string): Promise<string> {
  const { project } = await database.prisma.application.findUniqueOrThrow({
    where: { id: applicationId },
    include: { project: true },
  });
  return project.organizationId;
}
