// Writes a line of the audit log in the transaction of the change it is about, so that there is one exactly when the other is.
import type { SqlClient } from '../platform/database/sqlClient.ts';
import type { AuditActor, AuditEntry } from './auditEntry.ts';
import { appendAuditEntries } from './auditStore.ts';

/**
 * Call it last in the transaction, or at least after every lock: from here to COMMIT the organization's other lines
 * wait, and who then waited for one of their rows would never get it.
 */
export async function audit(client: SqlClient, actor: AuditActor, ...entries: AuditEntry[]): Promise<void> {
  const records = entries.map(({ action, objectType, objectId, details = {} }) => ({
    action,
    objectType,
    objectId,
    details,
  }));
  await appendAuditEntries(client, { organizationId: actor.organizationId, actor: actor.email, records });
}
