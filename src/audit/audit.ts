// Writes a line of the audit log in the transaction of the change it is about, so that there is one exactly when the other is.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { AuditActor, AuditEntry } from './auditEntry.ts';
import { appendAuditEntries } from './auditStore.ts';

/**
 * Call it last in the transaction, or at least after every lock: from here to COMMIT the organization's other lines
 * wait, and a transaction that waits for its line while this one waits for its row is a deadlock.
 */
export async function audit(transaction: Transaction, actor: AuditActor, ...entries: AuditEntry[]): Promise<void> {
  await append(transaction, actor, entries);
}

/** For lines about something that changes no row, such as a secret that is shown: committed by themselves. */
export async function auditAlone(pool: SqlConnection, actor: AuditActor, ...entries: AuditEntry[]): Promise<void> {
  await append(pool, actor, entries);
}

async function append(connection: SqlConnection, actor: AuditActor, entries: AuditEntry[]): Promise<void> {
  const records = entries.map(({ action, objectType, objectId, details = {} }) => ({
    action,
    objectType,
    objectId,
    details,
  }));
  await appendAuditEntries(connection, { organizationId: actor.organizationId, actor: actor.email, records });
}
