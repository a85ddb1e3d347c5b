// The audit log: a line is written in the transaction of its change, so that it exists exactly when the change is committed.
import { isDeepStrictEqual } from 'node:util';
import type { MutationResolvers } from '../../generated/graphql.ts';
import { prepared, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';

/**
 * Call it last in the transaction, or at least after every lock. From here to the commit, the organization's other lines
 * wait (docs/decisions/memberships.md): waiting for a row that one of their transactions holds would be a deadlock.
 */
export async function audit(transaction: Transaction, actor: AuditActor, ...entries: AuditEntry[]): Promise<void> {
  await auditAlone(transaction, actor, ...entries);
}

/**
 * SQL, because only this function of the database appends: all lines get one instant, which no other transaction of the
 * organization has. For a line about something that changes no row, such as a secret that is shown. It commits by itself.
 */
export async function auditAlone(
  pool: SqlConnection,
  { organizationId, email }: AuditActor,
  ...entries: AuditEntry[]
): Promise<void> {
  const records = entries.map(({ details = {}, ...line }) => ({ ...line, details }));
  await pool.query(prepared('append_audit_entries')`/* audit: appendAuditEntries */
    SELECT append_audit_entries(${organizationId}::uuid, ${email}, ${JSON.stringify(records)}::jsonb)`);
}

/** Mutations that change no object of an organization: a login, its refresh and its end, and a mail that changes nothing yet. */
export const unrecorded = [
  ...(['login', 'organizationSwitch', 'refreshToken', 'resetPassword'] as const),
  ...(['logout', 'logoutEverywhere', 'sessionRevoke'] as const),
] as const satisfies (keyof MutationResolvers)[];

/** Besides mutations: the reading of a secret, and the programs `user:create` and `user:reset`. */
export type AuditAction =
  Exclude<keyof MutationResolvers, (typeof unrecorded)[number]> | 'apiKeyReveal' | 'userCreate' | 'userReset';

export type AuditObject =
  | 'organization'
  | 'user'
  | 'project'
  | 'application'
  | 'apiKey'
  | 'storeCredentials'
  | 'product'
  | 'campaign'
  | 'serviceToken'
  | 'webhook';

export interface AuditEntry {
  action: AuditAction;
  objectType: AuditObject;
  /** schema.graphql describes it at `AuditEntry.objectId`. */
  objectId: string;
  /** Never a password, token, secret or private key. Default: `{}`. */
  details?: Record<string, unknown>;
}

/** The user or service token that made the change, and the organization whose log gets the line. A `Caller` is one. */
export interface AuditActor {
  organizationId: string;
  email: string;
}

export type ChangedFields = Record<string, { from: unknown; to: unknown }>;

/**
 * The fields to which an edit gives another value. `before` is null for a new object. An undefined field of `edit` stays
 * as it is.
 */
export function changedFields<Row extends object>(before: Row | null, edit: Partial<Row>): ChangedFields {
  const changes: ChangedFields = {};
  for (const name of Object.keys(edit) as (keyof Row & string)[]) {
    if (edit[name] === undefined) continue;
    const [from, to] = [before?.[name] ?? null, edit[name]];
    if (!isDeepStrictEqual(from, to)) changes[name] = { from, to };
  }
  return changes;
}
