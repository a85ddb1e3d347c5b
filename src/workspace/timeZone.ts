// Names of time zones: whether this process knows one, and how PostgreSQL, which has the last word, spells it.
import { sql, type SqlConnection } from '../platform/database/sql.ts';

const form = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Offsets such as `+01:00`, which the process also takes, are no names. Names of its own (`IST`, `SystemV/PST8`) pass. */
export function isKnownTimeZone(timeZone: string): boolean {
  if (!form.test(timeZone)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** SQL, because no model has the names. In upper or lower case. The name in the spelling of the IANA time zone database, also of an alias (`Asia/Kolkata`); null for an unknown name. */
export async function findTimeZone(connection: SqlConnection, given: string): Promise<string | null> {
  const { rows } = await connection.query<{ name: string }>(sql`/* workspace: findTimeZone */
    SELECT name FROM pg_timezone_names WHERE lower(name) = lower(${given}) LIMIT 1`);
  return rows[0]?.name ?? null;
}
