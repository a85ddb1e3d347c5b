// Reads and writes of applications and their keys.
import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { ApiKeyRecord } from './workspaceStore.ts';

/** An application as the public API knows it: by one of its keys. */
export interface KeyedApplication {
  id: string;
  key: { public: string; secret: string };
}

/** Null when the key is unknown or revoked, or its application is deleted. */
export async function findApplicationByKey(
  prisma: PrismaClient,
  encryption: Encryption,
  publicKey: string,
): Promise<KeyedApplication | null> {
  const key = await prisma.apiKey.findFirst({
    where: { public: publicKey, revokedAt: null, application: { deletedAt: null } },
  });
  if (!key) return null;
  const secret = encryption.decrypt(key.secretEncrypted, key.id);
  return { id: key.applicationId, key: { public: key.public, secret } };
}

export async function insertApiKey(
  prisma: Pick<PrismaClient, 'apiKey'>,
  encryption: Encryption,
  { applicationId, key }: { applicationId: string; key: { public: string; secret: string } },
): Promise<ApiKeyRecord> {
  const id = randomUUID();
  return prisma.apiKey.create({
    data: { id, applicationId, public: key.public, secretEncrypted: encryption.encrypt(key.secret, id) },
  });
}
