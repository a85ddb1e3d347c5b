// A workspace to begin with outside production: one organization, project, application with a key, and a login.
import { hash } from 'argon2';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { Encryption } from '../platform/encryption.ts';
import { newApiKey } from './apiKey.ts';
import { insertApiKey } from './applicationsStore.ts';

export interface DemoWorkspace {
  application: { id: string; name: string };
  key: { public: string; secret: string };
  login: { email: string; password: string };
}

const ids = {
  organization: '00000000-0000-7000-8000-000000000001',
  user: '00000000-0000-7000-8000-000000000002',
  project: '00000000-0000-7000-8000-000000000003',
  application: '00000000-0000-7000-8000-000000000004',
};
export const demoLogin = { email: 'demo@example.com', password: 'demo-password-for-development' };
const argon2id = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Creates what is missing and answers the same keys at every start; two starting processes do not collide. */
export async function ensureDemoWorkspace(prisma: PrismaClient, encryption: Encryption): Promise<DemoWorkspace> {
  const existing = await prisma.application.findUnique({ where: { id: ids.application } });
  if (!existing) await createDemoWorkspace(prisma, encryption);
  const application = await prisma.application.findUniqueOrThrow({
    where: { id: ids.application },
    include: { apiKeys: { where: { revokedAt: null }, orderBy: { createdAt: 'asc' }, take: 1 } },
  });
  const row = application.apiKeys[0];
  if (!row) throw new Error('the demo application has no live key; use another DATA_DIR or create a key for it');
  const key = { public: row.public, secret: encryption.decrypt(row.secretEncrypted, row.id) };
  return { application: { id: application.id, name: application.name }, key, login: demoLogin };
}

async function createDemoWorkspace(prisma: PrismaClient, encryption: Encryption): Promise<void> {
  const passwordHash = await hash(demoLogin.password, argon2id);
  await prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('demo_workspace'))`;
    if (await transaction.organization.findUnique({ where: { id: ids.organization } })) return;
    await transaction.organization.create({ data: { id: ids.organization, name: 'Demo organization' } });
    await transaction.user.create({
      data: {
        id: ids.user,
        organizationId: ids.organization,
        email: demoLogin.email,
        name: 'Demo',
        role: 'owner',
        status: 'active',
        passwordHash,
      },
    });
    await transaction.project.create({
      data: { id: ids.project, organizationId: ids.organization, name: 'Demo project' },
    });
    await transaction.application.create({
      data: {
        id: ids.application,
        projectId: ids.project,
        name: 'Demo application',
        bundleId: 'com.example.demo',
        platform: 'iOS',
      },
    });
    await insertApiKey(transaction, encryption, { applicationId: ids.application, key: newApiKey() });
  });
}
