// The first workspace outside production: one organization, project, application with a key, and a login.
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts';
import type { Encryption } from '../platform/encryption.ts';
import { newId } from '../platform/newId.ts';
import { hashPassword } from '../platform/passwordHash.ts';
import { newApiKey } from '../workspace/apiKey.ts';
import { insertApiKey } from '../workspace/applicationsStore.ts';

export interface DemoWorkspace {
  application: { id: string; name: string };
  key: { public: string; secret: string };
  login: { email: string; password: string };
}

type Client = PrismaClient | Prisma.TransactionClient;
type Found = Pick<DemoWorkspace, 'application' | 'key'>;

const ids = {
  organization: '00000000-0000-7000-8000-000000000001',
  user: '00000000-0000-7000-8000-000000000002',
  project: '00000000-0000-7000-8000-000000000003',
  application: '00000000-0000-7000-8000-000000000004',
};
export const demoLogin = { email: 'demo@example.com', password: 'demo-password-for-development' };

const applicationName = 'Demo application';

/** The demo application under any name, or its replacement: `npm run demo` creates other applications beside it. */
const demoApplication = {
  deletedAt: null,
  project: { organizationId: ids.organization },
  OR: [{ id: ids.application }, { name: applicationName }],
};
const oldestFirst = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];

/**
 * Creates the missing rows, and returns the same keys at every start. Two processes that start together do not collide. A
 * developer may revoke the key or delete the application: the next start creates new ones.
 */
export async function ensureDemoWorkspace(prisma: PrismaClient, encryption: Encryption): Promise<DemoWorkspace> {
  const found = (await findKeyed(prisma, encryption)) ?? (await createMissing(prisma, encryption));
  return { ...found, login: demoLogin };
}

/** Null without an application that has a live key which the service can decrypt. */
async function findKeyed(client: Client, encryption: Encryption): Promise<Found | null> {
  const application = await client.application.findFirst({
    where: demoApplication,
    include: { apiKeys: { where: { revokedAt: null }, orderBy: oldestFirst } },
    orderBy: oldestFirst,
  });
  for (const row of application?.apiKeys ?? []) {
    const { id, name } = application!;
    const secret = readable(encryption, row);
    if (secret !== null) return { application: { id, name }, key: { public: row.public, secret } };
  }
  return null;
}

/** Null where ENCRYPTION_KEY has changed: the caller takes another key then. */
function readable(encryption: Encryption, row: { id: string; secretEncrypted: Uint8Array }): string | null {
  try {
    return encryption.decrypt(row.secretEncrypted, row.id);
  } catch {
    return null;
  }
}

async function createMissing(prisma: PrismaClient, encryption: Encryption): Promise<Found> {
  const passwordHash = await hashPassword(demoLogin.password);
  return prisma.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('demo_workspace'))`;
    const found = await findKeyed(transaction, encryption);
    if (found) return found;
    const organization = await transaction.organization.findUnique({ where: { id: ids.organization } });
    if (!organization) await createOrganization(transaction, passwordHash);
    const application =
      (await transaction.application.findFirst({ where: demoApplication, orderBy: oldestFirst })) ??
      (await createApplication(transaction));
    const key = newApiKey();
    await insertApiKey(transaction, encryption, { applicationId: application.id, key });
    return { application: { id: application.id, name: application.name }, key };
  });
}

async function createOrganization(transaction: Prisma.TransactionClient, passwordHash: string): Promise<void> {
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
}

/** With the well-known ids where they are free: a deleted row keeps its id. */
async function createApplication(transaction: Prisma.TransactionClient): Promise<{ id: string; name: string }> {
  const projectTaken = await transaction.project.findUnique({ where: { id: ids.project } });
  const applicationTaken = await transaction.application.findUnique({ where: { id: ids.application } });
  const project =
    projectTaken && projectTaken.deletedAt === null
      ? projectTaken
      : await transaction.project.create({
          data: {
            id: projectTaken ? newId() : ids.project,
            organizationId: ids.organization,
            name: 'Demo project',
          },
        });
  return transaction.application.create({
    data: {
      id: applicationTaken ? newId() : ids.application,
      projectId: project.id,
      name: applicationName,
      bundleId: 'com.example.demo',
      platform: 'iOS',
    },
  });
}
