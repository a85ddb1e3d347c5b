// Creates applications and campaigns directly in the database.
import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { Encryption } from '../../src/platform/encryption.ts';
import { newApiKey } from '../../src/workspace/applicationDirectory.ts';

export interface TestApplication {
  id: string;
  key: { public: string; secret: string };
}

export async function createApplication(
  prisma: PrismaClient,
  encryption: Encryption,
  key = newApiKey(),
): Promise<TestApplication> {
  const application = { name: 'An application', bundleId: 'com.example.test', platform: 'iOS' } as const;
  const project = { name: 'A project', applications: { create: application } };
  const organization = await prisma.organization.create({
    data: { name: 'An organization', projects: { create: project } },
    include: { projects: { include: { applications: true } } },
  });
  const { id } = organization.projects[0]!.applications[0]!;
  const keyId = randomUUID();
  const secretEncrypted = encryption.encrypt(key.secret, keyId);
  await prisma.apiKey.create({ data: { id: keyId, applicationId: id, public: key.public, secretEncrypted } });
  return { id, key };
}

export async function createCampaign(prisma: PrismaClient, applicationId: string): Promise<string> {
  const campaign = await prisma.campaign.create({ data: { id: randomUUID(), applicationId, name: 'A campaign' } });
  return campaign.id;
}
