// Writes a line of the audit log in the transaction of its change, so that a line exists exactly when the change is committed.
import { isDeepStrictEqual } from 'node:util';
import type { MutationResolvers } from '../../generated/graphql.ts';
import { prepared, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';

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

// A line of the audit log: its fields, and how it describes the change of an object (schema.graphql, "Audit log").

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

// The SQL of the audit log: appending, which is the only write that the database allows, and reading page by page.

export interface AuditRecord {
  action: string;
  objectType: string;
  objectId: string;
  details: Record<string, unknown>;
}

/** All records get one instant, which no other transaction of the organization has. */
export async function appendAuditEntries(
  connection: SqlConnection,
  { organizationId, actor, records }: { organizationId: string; actor: string; records: AuditRecord[] },
): Promise<void> {
  await connection.query(prepared('append_audit_entries')`/* audit: appendAuditEntries */
    SELECT append_audit_entries(${organizationId}::uuid, ${actor}, ${JSON.stringify(records)}::jsonb)`);
}

export interface StoredAuditEntry extends AuditRecord {
  at: Date;
  actor: string;
}

/** Null restricts nothing. */
export interface AuditFilters {
  actor: string | null;
  objectType: string | null;
  objectId: string | null;
  action: string | null;
}

/** Newest first. Returns more than `limit` lines only to keep the lines of one instant together. */
export async function findAuditEntries(
  connection: SqlConnection,
  {
    organizationId,
    before,
    limit,
    ...filters
  }: AuditFilters & { organizationId: string; before: Date | null; limit: number },
): Promise<StoredAuditEntry[]> {
  const { actor, objectType, objectId, action } = filters;
  const statement = prepared('find_audit_entries')`/* audit: findAuditEntries */
    SELECT at, actor, action, object_type AS "objectType", object_id AS "objectId", details FROM (
      SELECT * FROM audit_entries
      WHERE organization_id = ${organizationId} AND at < coalesce(${before}::timestamptz, 'infinity')
        AND (${actor}::text IS NULL OR lower(actor) = lower(${actor}::text))
        AND (${objectType}::text IS NULL OR object_type = ${objectType})
        AND (${objectId}::text IS NULL OR object_id = ${objectId})
        AND (${action}::text IS NULL OR action = ${action})
      ORDER BY at DESC FETCH FIRST (${limit}::integer) ROWS WITH TIES) page
    ORDER BY at DESC, id DESC`;
  const { rows } = await connection.query<StoredAuditEntry>(statement);
  return rows;
}
