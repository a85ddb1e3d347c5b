// Writes a line of the audit log in the transaction of its change, so that a line exists exactly when the change is committed.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { AuditActor, AuditEntry } from './auditEntry.ts';
import { appendAuditEntries } from './auditStore.ts';

/**
 * Call it last in the transaction, or at least after every lock. From here to the commit, the organization's other lines
 * wait (docs/decisions/memberships.md): waiting for a row that one of their transactions holds would be a deadlock.
 */
export async function audit(transaction: Transaction, actor: AuditActor, ...entries: AuditEntry[]): Promise<void> {
  await append(transaction, actor, entries);
}

/** For a line about something that changes no row, such as a secret that is shown. It commits by itself. */
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
