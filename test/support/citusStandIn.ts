// Replaces the functions and catalogs of Citus that db:distribute uses: it records calls and distributes nothing.
import type { Pool } from 'pg';

/** Tests only which functions are called and in which order, not whether a cluster would accept the calls. */
export async function createCitusStandIn(pool: Pool): Promise<void> {
  await pool.query(`
    CREATE SCHEMA citus_stand_in;
    CREATE TABLE citus_stand_in.pg_dist_partition (logicalrelid regclass PRIMARY KEY);
    CREATE TABLE citus_stand_in.pg_dist_local_group (groupid integer);
    INSERT INTO citus_stand_in.pg_dist_local_group VALUES (0);
    CREATE TABLE citus_stand_in.pg_dist_node (nodename text, isactive boolean, shouldhaveshards boolean, noderole text);
    CREATE TABLE citus_stand_in.calls (place serial, call text);
    CREATE FUNCTION citus_stand_in.create_distributed_table(table_name regclass, distribution_column text,
      distribution_type text DEFAULT 'hash', colocate_with text DEFAULT 'default', shard_count integer DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO citus_stand_in.pg_dist_partition VALUES (table_name);
      INSERT INTO citus_stand_in.calls (call)
        VALUES (concat_ws(' ', table_name, 'by', distribution_column, 'beside', colocate_with, shard_count));
    END $$;
    CREATE FUNCTION citus_stand_in.truncate_local_data_after_distributing_table(table_name regclass) RETURNS void
    LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO citus_stand_in.calls (call) VALUES (format('local rows of %s', table_name));
      EXECUTE format('TRUNCATE %s', table_name);
    END $$;`);
  const { rows } = await pool.query<{ name: string }>('SELECT quote_ident(current_database()) AS name');
  await pool.query(`ALTER DATABASE ${rows[0]!.name} SET search_path = public, citus_stand_in`);
}

/** Marks these settings as set by an operator. Without Citus, PostgreSQL lists no settings of these names. */
export async function chooseSettings(pool: Pool, names: string[]): Promise<void> {
  await pool.query(`CREATE TABLE citus_stand_in.pg_settings AS SELECT name, source FROM pg_catalog.pg_settings`);
  await pool.query(`INSERT INTO citus_stand_in.pg_settings SELECT unnest($1::text[]), 'database'`, [names]);
  const { rows } = await pool.query<{ name: string }>('SELECT quote_ident(current_database()) AS name');
  await pool.query(`ALTER DATABASE ${rows[0]!.name} SET search_path = citus_stand_in, pg_catalog, public`);
}

/** The calls since the last look. */
export async function takeCalls(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ call: string }>(
    'WITH taken AS (DELETE FROM citus_stand_in.calls RETURNING *) SELECT call FROM taken ORDER BY place',
  );
  return rows.map(({ call }) => call);
}
