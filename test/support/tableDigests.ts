// One digest per table of the stored rows: two digests are equal exactly when no row has changed, but for when somebody was last there.
import type { Pool } from 'pg';

/** The digests of all tables of the schema `public` but the given ones; a partition counts as part of its table. */
export async function tableDigests(pool: Pool, except: readonly string[]): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> ALL ($1)
     ORDER BY relname`,
    [except],
  );
  const digests: Record<string, string> = {};
  for (const { name } of rows) {
    const digest = await pool.query<{ value: string }>(
      `SELECT md5(coalesce(string_agg(t.kept, E'\\n' ORDER BY t.kept), '')) AS value
       FROM (SELECT (to_jsonb(r) - 'last_login_at' - 'last_used_at')::text AS kept FROM "${name}" r) t`,
    );
    digests[name] = digest.rows[0]!.value;
  }
  return digests;
}
