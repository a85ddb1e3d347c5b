// The naive reference's SQL: the same tables and the same durability, a statement for each row.
import type { Pool } from 'pg';
import { deviceKey } from '../../../../src/devices/deviceKey.ts';
import type { VerifiedSignature } from '../../../../src/platform/signature.ts';
import { inTransaction, type Transaction } from '../../../../src/platform/database/transaction.ts';
import { packId } from '../../../../src/sessions/upload.ts';
import type { SessionReport } from '../uploads.ts';

export interface NaiveUpload {
  report: SessionReport;
  applicationId: string;
  signature: VerifiedSignature | null;
}

interface Owner {
  key: string;
  applicationId: string;
}

/** False when the nonce was used before. */
export function storeNaively(pool: Pool, { report, applicationId, signature }: NaiveUpload): Promise<boolean> {
  const owner = { key: deviceKey(applicationId, report.device.id), applicationId };
  return inTransaction(pool, async (transaction) => {
    if (signature && !(await insertNonce(transaction, applicationId, signature))) return false;
    for (const session of report.sessions) await storeSession(transaction, owner, session);
    await storeDevice(transaction, owner, report);
    return true;
  });
}

async function insertNonce(
  transaction: Transaction,
  applicationId: string,
  signature: VerifiedSignature,
): Promise<boolean> {
  const { rowCount } = await transaction.query({
    text: 'INSERT INTO nonces (nonce, application_id, body_hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    values: [signature.nonce, applicationId, signature.bodyHash],
  });
  return rowCount === 1;
}

async function storeSession(
  transaction: Transaction,
  owner: Owner,
  session: SessionReport['sessions'][number],
): Promise<void> {
  const { rows } = await transaction.query<{ ref: string; anchored_on: string }>({
    text: `INSERT INTO sessions AS s (device_key, id, application_id, global_number, version_number, started_at, finished_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (device_key, id) DO UPDATE SET finished_at = greatest(s.finished_at, excluded.finished_at)
    RETURNING ref, (received_at AT TIME ZONE 'UTC')::date::text AS anchored_on`,
    values: [
      ...[owner.key, session.id, owner.applicationId, session.number.global, session.number.version],
      ...[session.startDate, session.finishDate ?? null],
    ],
  });
  for (const event of session.events ?? []) await storeEvent(transaction, { ...owner, ...rows[0]! }, event);
}

async function storeEvent(
  transaction: Transaction,
  { ref, anchored_on, key, applicationId }: Owner & { ref: string; anchored_on: string },
  event: NonNullable<SessionReport['sessions'][number]['events']>[number],
): Promise<void> {
  const params = Object.fromEntries(event.params.map(({ name, value }) => [name, value]));
  await transaction.query({
    text: `INSERT INTO events (session_ref, anchored_on, device_key, application_id, id, system, name, occurred_at, params)
    VALUES ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8), $9) ON CONFLICT DO NOTHING`,
    values: [
      ...[ref, anchored_on, key, applicationId, packId(event.id)],
      ...[event.type === 'system', event.name, event.timestamp, params],
    ],
  });
}

async function storeDevice(
  transaction: Transaction,
  { key, applicationId }: Owner,
  report: SessionReport,
): Promise<void> {
  const { device, user } = report;
  const properties = Object.fromEntries((user.properties ?? []).map(({ name, value }) => [name, value]));
  await transaction.query({
    text: `INSERT INTO devices (key, application_id, id, user_id, properties, user_properties, state_at)
    VALUES ($1, $2, $3, $4, $5, $6, now())
    ON CONFLICT (key) DO UPDATE SET user_id = excluded.user_id, properties = excluded.properties,
      user_properties = excluded.user_properties, state_at = excluded.state_at, last_seen_at = excluded.last_seen_at`,
    values: [key, applicationId, device.id, user.id ?? null, device.properties, properties],
  });
}
