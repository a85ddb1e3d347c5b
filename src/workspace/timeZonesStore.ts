// The SQL that finds a time zone by its name, in upper or lower case.
import { sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';

/** The name in the spelling of the IANA time zone database, also of an alias (`Asia/Kolkata`); null for an unknown name. */
export async function findTimeZone(connection: SqlConnection, given: string): Promise<string | null> {
  const { rows } = await connection.query<{ name: string }>(sql`/* workspace: findTimeZone */
    SELECT name FROM pg_timezone_names WHERE lower(name) = lower(${given}) LIMIT 1`);
  return rows[0]?.name ?? null;
}
