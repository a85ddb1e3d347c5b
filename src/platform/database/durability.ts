// Checks whether PostgreSQL keeps committed data after a crash: the service acknowledges uploads after their COMMIT.
import type { Pool } from 'pg';

interface Setting {
  name: string;
  value: string;
}

/** Reads the settings on a connection of the service, because a role, a database and a URL can each change `synchronous_commit`. */
export async function findDurabilityProblems(pool: Pick<Pool, 'query'>): Promise<{ lost: string[]; torn: string[] }> {
  const { rows } = await pool.query<Setting>(`/* platform: findDurabilityProblems */
    SELECT name, setting AS value FROM pg_settings
    WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') ORDER BY name`);
  const off = rows.filter(({ value }) => value === 'off').map(({ name }) => name);
  return {
    lost: off.filter((name) => name !== 'full_page_writes'),
    torn: off.filter((name) => name === 'full_page_writes'),
  };
}
