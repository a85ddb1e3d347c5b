// Shared by the tests of the lists of purchases: lines, transactions, claims and holders as a look-up would store them.
import { randomUUID } from 'node:crypto';
import type { Prisma } from '../../generated/prisma/client.ts';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import type { TestService } from './testService.ts';

type Place = Pick<TestService, 'database'>;

/** A line; returns its id. */
export async function storeLine(
  { database }: Place,
  applicationId: string,
  line: Partial<Prisma.StoreEntitlementCreateManyInput> = {},
): Promise<string> {
  const lineId = line.lineId ?? randomUUID();
  const filled = { productId: 'pro', kind: 'NON_CONSUMABLE', environment: 'PRODUCTION', ...line } as const;
  const [purchasedAt, signedAt] = [line.purchasedAt ?? new Date(), line.signedAt ?? new Date()];
  await database.prisma.storeEntitlement.create({ data: { ...filled, lineId, applicationId, purchasedAt, signedAt } });
  return lineId;
}

/** A transaction, PENDING where nothing else is said; returns its id. */
export async function storeTransaction(
  { database }: Place,
  applicationId: string,
  fields: Partial<Prisma.StoreTransactionCreateManyInput> = {},
): Promise<string> {
  const id = fields.id ?? randomUUID();
  await database.prisma.storeTransaction.create({ data: { ...fields, id, applicationId } });
  return id;
}

interface Naming {
  device: string;
  /** Empty for none. */
  externalId: string;
}

/** The device holds the line, for the external id. */
export async function storeHolder(
  { database }: Place,
  applicationId: string,
  { lineId, device, externalId }: Naming & { lineId: string },
): Promise<void> {
  const heldBy = deviceKey(applicationId, device);
  await database.prisma.storeHolder.create({ data: { lineId, applicationId, heldBy, externalId } });
}
