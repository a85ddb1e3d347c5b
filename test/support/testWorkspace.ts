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
  const { id: organizationId } = await prisma.organization.create({ data: { name: 'An organization' } });
  const { id: projectId } = await prisma.project.create({ data: { organizationId, name: 'A project' } });
  const { id } = await prisma.application.create({
    data: { projectId, name: 'An application', bundleId: 'com.example.test', platform: 'iOS' },
  });
  const keyId = randomUUID();
  const secretEncrypted = encryption.encrypt(key.secret, keyId);
  await prisma.apiKey.create({ data: { id: keyId, applicationId: id, public: key.public, secretEncrypted } });
  return { id, key };
}

export async function createCampaign(prisma: PrismaClient, applicationId: string): Promise<string> {
  const campaign = await prisma.campaign.create({ data: { id: randomUUID(), applicationId, name: 'A campaign' } });
  return campaign.id;
}
