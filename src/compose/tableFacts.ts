// The place of each table in a Citus cluster: spread over the workers by a column, or on the coordinator.
import type { Pool } from 'pg';
import type { DistributedTable } from '../platform/database/citus.ts';
import { type Encryption, decryptability, type SealedColumn } from '../platform/encryption.ts';
import type { Log } from '../platform/observability/log.ts';

/** Null: a plain table on the coordinator. */
type Placement = Omit<DistributedTable, 'name'> | null;

const byDevice = { column: 'device_key', colocateWith: 'devices' };

/**
 * Every table of the schema. The tables of uploads are distributed. The tables that the dashboard edits stay on the
 * coordinator, with their foreign keys and triggers, which distributed tables cannot have. docs/operating/cluster.md
 * says why counts, nonces and purchases stay too, and docs/contributing/cluster.md has the rules.
 */
export const tablePlacement: Record<string, Placement> = {
  devices: { column: 'key', colocateWith: null },
  sessions: byDevice,
  events: byDevice,
  attribution_reports: byDevice,
  store_transaction_devices: byDevice,

  // On Citus a log row and the events of its batch commit in two phases: see src/analytics/engine/relations.md.
  session_changes: null,
  analytics_firsts: null,
  retention_walks: null,
  ingest_issues: null,
  quota_uses: null,
  nonces: null,
  organizations: null,
  users: null,
  memberships: null,
  login_challenges: null,
  login_sessions: null,
  refresh_tokens: null,
  password_tokens: null,
  email_tokens: null,
  attempts: null,
  service_tokens: null,
  audit_entries: null,
  projects: null,
  applications: null,
  api_keys: null,
  campaigns: null,
  campaign_versions: null,
  campaign_changes: null,
  campaign_clocks: null,
  campaign_counts: null,
  campaign_shows: null,
  store_transactions: null,
  store_entitlements: null,
  store_claims: null,
  store_holders: null,
  store_renewal_changes: null,
  store_products: null,
  store_notifications: null,
  store_notification_reads: null,
  store_watch: null,
  store_credentials: null,
  store_call_slots: null,
  webhooks: null,
  webhook_deliveries: null,
  webhook_backlogs: null,
  job_workers: null,
  production_mark: null,
  _prisma_migrations: null,
};

/** A table comes after the table that it is co-located with. */
export const distributedTables: DistributedTable[] = Object.entries(tablePlacement).flatMap(([name, placement]) =>
  placement ? [{ name, ...placement }] : [],
);

// Every column of encrypted values. A test compares it with the database's columns whose names end in `_encrypted`.

export const sealedColumns: readonly SealedColumn[] = [
  { table: 'api_keys', id: 'id', column: 'secret_encrypted' },
  { table: 'store_credentials', id: 'application_id', column: 'private_key_encrypted' },
  { table: 'webhooks', id: 'id', column: 'secret_encrypted' },
];

/**
 * Throws when no configured key opens any secret of a column: each request that needs one would get 500. When the keys
 * open only some, the log warns: an older key is missing, or was removed before `keys:rotate` had ended.
 */
export async function requireOpenSecrets(
  { pool, encryption }: { pool: Pool; encryption: Encryption },
  log: Pick<Log, 'warn'>,
): Promise<void> {
  for (const sealed of sealedColumns) {
    const opened = await decryptability(pool, encryption, sealed);
    if (opened === 'all') continue;
    if (opened === 'some') {
      log.warn({ table: sealed.table }, 'ENCRYPTION_KEY opens only some of the secrets');
      continue;
    }
    throw new Error(`ENCRYPTION_KEY: opens no secret in ${sealed.table}; list the key they were sealed under as well.`);
  }
}
