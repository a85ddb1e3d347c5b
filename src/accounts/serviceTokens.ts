// query serviceTokens: the organization's service tokens that nobody has revoked, newest first.
import type { Pool } from 'pg';
import { prepared, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { type ResponseBudget, withinBudget } from '../platform/responseBudget.ts';
import type { Caller, LiveCaller, Role } from '../workspace/workspace.ts';

export async function serviceTokens(
  _args: unknown,
  { caller, adminPool, budget }: { caller: Caller; adminPool: Pool; budget: ResponseBudget },
): Promise<ServiceTokenRecord[]> {
  const { organizationId } = caller;
  return withinBudget(budget, ({ limit }) => findServiceTokens(adminPool, { organizationId, limit }));
}

// The SQL of service tokens, the bearers of programs.

export type ServiceRole = Exclude<Role, 'owner'>;

export interface ServiceTokenRecord {
  id: string;
  name: string;
  role: ServiceRole;
  /** Null: all applications of the organization. */
  applicationIds: string[] | null;
  createdAt: Date;
  createdBy: string;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

/** Read at each request, so that a revoked or expired token ends at once on every process. */
export async function findServiceCaller(
  connection: SqlConnection,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<{ caller: LiveCaller; lastUsedAt: Date | null } | null> {
  const statement = prepared('find_service_caller')`/* accounts: findServiceCaller */
    SELECT id, organization_id, name, role::text AS role, application_ids, last_used_at FROM service_tokens
    WHERE hash = ${hash} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`;
  const { rows } = await connection.query<CallerRow>(statement);
  const row = rows[0];
  if (!row) return null;
  const { id, organization_id: organizationId, name, role, application_ids: applicationIds } = row;
  const caller = { userId: id, sessionId: id, organizationId, role, email: `service token: ${name}` };
  return { caller: { ...caller, service: { applicationIds } }, lastUsedAt: row.last_used_at };
}

interface CallerRow {
  id: string;
  organization_id: string;
  name: string;
  role: ServiceRole;
  application_ids: string[] | null;
  last_used_at: Date | null;
}

export async function noteServiceTokenUse(
  connection: SqlConnection,
  { id, now }: { id: string; now: Date },
): Promise<void> {
  await connection.query(prepared('note_service_token_use')`/* accounts: noteServiceTokenUse */
    UPDATE service_tokens SET last_used_at = ${now} WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < ${now})`);
}

export type NewServiceToken = Omit<ServiceTokenRecord, 'lastUsedAt'> & { organizationId: string; hash: Buffer };

export async function insertServiceToken(transaction: Transaction, token: NewServiceToken): Promise<void> {
  const { id, organizationId, name, role, hash, applicationIds, createdAt, createdBy, expiresAt } = token;
  await transaction.query(prepared('insert_service_token')`/* accounts: insertServiceToken */
    INSERT INTO service_tokens
      (id, organization_id, name, role, hash, application_ids, created_at, created_by, expires_at)
    VALUES (${id}, ${organizationId}, ${name}, ${role}::user_role, ${hash}, ${applicationIds}::uuid[], ${createdAt},
      ${createdBy}, ${expiresAt})`);
}

/** Those that nobody has revoked, expired ones included. */
export async function countServiceTokens(connection: SqlConnection, organizationId: string): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    prepared('count_service_tokens')`/* accounts: countServiceTokens */
    SELECT count(*)::integer AS count FROM service_tokens
    WHERE organization_id = ${organizationId} AND revoked_at IS NULL`,
  );
  return rows[0]!.count;
}

/** Those that nobody has revoked, expired ones included, newest first. */
export async function findServiceTokens(
  connection: SqlConnection,
  { organizationId, limit }: { organizationId: string; limit: number },
): Promise<ServiceTokenRecord[]> {
  const statement = prepared('find_service_tokens')`/* accounts: findServiceTokens */
    SELECT id, name, role::text AS role, application_ids AS "applicationIds", created_at AS "createdAt",
      created_by AS "createdBy", expires_at AS "expiresAt", last_used_at AS "lastUsedAt"
    FROM service_tokens WHERE organization_id = ${organizationId} AND revoked_at IS NULL
    ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
  const { rows } = await connection.query<ServiceTokenRecord>(statement);
  return rows;
}

/** Returns its name; null where the organization has no such token that nobody has revoked. */
export async function revokeServiceToken(
  transaction: Transaction,
  { organizationId, id, now }: { organizationId: string; id: string; now: Date },
): Promise<string | null> {
  const statement = prepared('revoke_service_token')`/* accounts: revokeServiceToken */
    UPDATE service_tokens SET revoked_at = ${now}
    WHERE id = ${id} AND organization_id = ${organizationId} AND revoked_at IS NULL RETURNING name`;
  const { rows } = await transaction.query<{ name: string }>(statement);
  return rows[0]?.name ?? null;
}

/** How many of these live applications the organization has. */
export async function countOwnApplications(
  connection: SqlConnection,
  { organizationId, ids }: { organizationId: string; ids: readonly string[] },
): Promise<number> {
  const statement = prepared('count_own_applications')`/* accounts: countOwnApplications */
    SELECT count(*)::integer AS count FROM applications a JOIN projects p ON p.id = a.project_id
    WHERE a.id = ANY (${ids}::uuid[]) AND a.deleted_at IS NULL AND p.organization_id = ${organizationId}`;
  const { rows } = await connection.query<{ count: number }>(statement);
  return rows[0]!.count;
}
