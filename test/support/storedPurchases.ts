// Shared by the tests of repeated look-ups: time that passes, and the result of the next look-up.
import { eventually } from './eventually.ts';
import { upload, type Upload } from './purchases.ts';
import type { TestService } from './testService.ts';

/** As if more than a minute had passed since the look-up of the transaction. */
export async function aMinuteLater({ database }: TestService, id: string): Promise<void> {
  await database.pool.query(
    `UPDATE store_transactions SET last_looked_up_at = last_looked_up_at - interval '61 seconds' WHERE id = $1`,
    [id],
  );
}

/** Uploads an id once more, a minute later; returns the row after its next look-up. */
export async function restore(service: TestService, id: string, from: Upload) {
  await aMinuteLater(service, id);
  const before = await rowOf(service, id);
  await upload(service, [id], from);
  return eventually(
    () => rowOf(service, id),
    (row) => row?.lastLookedUpAt != null && row.lastLookedUpAt.getTime() !== before?.lastLookedUpAt?.getTime(),
  );
}

function rowOf({ database, application }: TestService, id: string) {
  return database.prisma.storeTransaction.findFirst({ where: { id, applicationId: application.id } });
}
