// Decides who owns and holds lines, from all uploads that brought them, and stores it: after an upload and after a look-up.
import { prepared } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import {
  type Claim,
  decideLine,
  type EntitlementPolicy,
  firstDeviceOf,
  type Holder,
  keyOf,
  type LineDecision,
  type Owner,
} from './lineHolders.ts';
import { byLine, findLines, type LineRecord, type Lines } from './statementsStore.ts';

/** How a line changed in a transaction. */
export interface LineChange {
  lineId: string;
  /** Null for a new line. */
  before: LineRecord | null;
  after: LineRecord;
  holders: { before: Holder[]; after: Holder[] };
}

/**
 * The caller has locked the lines and stored their new periods. So `before` of a change has the new period already, and the
 * owner from before.
 */
export async function decideHolders(transaction: Transaction, lines: Lines): Promise<LineChange[]> {
  if (lines.lineIds.length === 0) return [];
  const { applicationId } = lines;
  const records = await findLines(transaction, lines);
  const claims = byLine(await findClaims(transaction, lines));
  const held = byLine(await findHolders(transaction, lines));
  const { rows } = await transaction.query<{ policy: EntitlementPolicy }>(prepared(
    'find_policy',
  )`/* purchases: findPolicy */
    SELECT entitlement_policy AS policy FROM applications WHERE id = ${applicationId}`);
  const policy = rows[0]?.policy ?? 'KEEP';
  const named = await namesOf(transaction, [...claims.values()].flat(), [...records.values()]);
  const changes = [...records.values()].map((before): LineChange => {
    const { lineId, accountToken, ownership } = before;
    const facts = { claims: claims.get(lineId) ?? [], accountToken, ownership, policy, named };
    const { owner, holders }: LineDecision = decideLine(facts);
    const after = { ...before, owner, firstDeviceId: firstDeviceOf(facts.claims) };
    return { lineId, before, after, holders: { before: held.get(lineId) ?? [], after: holders } };
  });
  await changeHolders(transaction, applicationId, {
    gone: changes.flatMap((change) => without(change, 'before', 'after')),
    come: changes.flatMap((change) => without(change, 'after', 'before')),
  });
  const bringers = (line: LineRecord | null) => JSON.stringify([line?.owner, line?.firstDeviceId]);
  const changed = changes.filter(({ before, after }) => bringers(before) !== bringers(after));
  await saveOwners(
    transaction,
    applicationId,
    changed.map(({ lineId, after: { owner, firstDeviceId } }) => ({ lineId, owner, firstDeviceId })),
  );
  return changes;
}

function without({ lineId, holders }: LineChange, one: 'before' | 'after', other: 'before' | 'after'): HolderOfLine[] {
  const there = new Set(holders[other].map(keyOf));
  return holders[one]
    .filter((holder) => !there.has(keyOf(holder)))
    .map(({ deviceKey, externalId }) => ({ lineId, deviceKey, externalId }));
}

/** Only devices that brought a line without an external id are asked for. */
async function namesOf(transaction: Transaction, claims: Claim[], records: LineRecord[]): Promise<Holder[]> {
  const deviceKeys = [...new Set(claims.flatMap((claim) => (claim.externalId === '' ? [claim.deviceKey] : [])))];
  const tokens = records.flatMap(({ accountToken }) => accountToken ?? []);
  const owners = [...tokens, ...claims.flatMap(({ externalId }) => externalId || [])];
  if (deviceKeys.length === 0 || owners.length === 0) return [];
  return findNamed(transaction, { deviceKeys, externalIds: [...new Set(owners)] });
}

interface NewClaims {
  applicationId: string;
  deviceKey: string;
  deviceId: string;
  /** Empty for none. */
  externalId: string;
  /** Unique and sorted. */
  transactionIds: string[];
}

/**
 * One upload. Of many arrivals the first seven and the last are kept, so that nobody can grow a row
 * without end. Returns the ids of the claims that are new.
 */
export async function saveClaims(transaction: Transaction, claims: NewClaims): Promise<string[]> {
  const { applicationId, deviceKey, deviceId, externalId, transactionIds } = claims;
  const { rows } = await transaction.query<{ id: string; isNew: boolean }>(prepared(
    'save_claims',
  )`/* purchases: saveClaims */
    INSERT INTO store_claims AS c (transaction_id, application_id, uploaded_by, external_id, device_id, arrivals)
    SELECT id, ${applicationId}, ${deviceKey}, ${externalId}, ${deviceId}, ARRAY[now()]
    FROM unnest(${transactionIds}::text[]) AS t (id)
    ON CONFLICT (transaction_id, application_id, uploaded_by, external_id) DO UPDATE
    SET arrivals = c.arrivals[1:7] || excluded.arrivals
    RETURNING c.transaction_id AS id, xmax = 0 AS "isNew"`);
  return rows.flatMap(({ id, isNew }) => (isNew ? [id] : []));
}

/**
 * Makes the claims of uploads that a process of the release before has stored, which knows none: of the device for which
 * each transaction waited. Usually there are none.
 */
export async function adoptUploads(transaction: Transaction, { applicationId, lineIds }: Lines): Promise<void> {
  const statement = prepared('find_uploads_without_claim')`/* purchases: adoptUploads */
    SELECT t.id, t.uploaded_by AS "deviceKey" FROM store_transactions t
    WHERE t.application_id = ${applicationId} AND t.line_id = ANY(${lineIds}::text[]) AND t.uploaded_by IS NOT NULL
      AND NOT EXISTS (SELECT FROM store_claims c WHERE c.transaction_id = t.id AND c.application_id = t.application_id)`;
  const { rows } = await transaction.query<{ id: string; deviceKey: string }>(statement);
  type Upload = { deviceId: string; externalId: string | null; receivedAt: Date };
  for (const { id, deviceKey } of rows) {
    const upload = await transaction.query<Upload>(prepared('find_upload')`/* purchases: findUpload */
      SELECT device_id AS "deviceId", external_id AS "externalId", received_at AS "receivedAt"
      FROM store_transaction_devices WHERE device_key = ${deviceKey} AND transaction_id = ${id}`);
    for (const { deviceId, externalId, receivedAt } of upload.rows) {
      await transaction.query(prepared('adopt_upload')`/* purchases: adoptUpload */
        INSERT INTO store_claims (transaction_id, application_id, uploaded_by, external_id, device_id, arrivals)
        VALUES (${id}, ${applicationId}, ${deviceKey}, ${externalId ?? ''}, ${deviceId}, ARRAY[${receivedAt}::timestamptz])
        ON CONFLICT DO NOTHING`);
    }
  }
}

/** The lines of the uploaded transactions that are resolved, sorted here: the order of a database depends on its locale. */
export async function findLinesOf(
  transaction: Transaction,
  { applicationId, transactionIds }: Pick<NewClaims, 'applicationId' | 'transactionIds'>,
): Promise<string[]> {
  const statement = prepared('find_lines_of')`/* purchases: findLinesOf */
    SELECT DISTINCT line_id AS "lineId" FROM store_transactions
    WHERE application_id = ${applicationId} AND id = ANY(${transactionIds}::text[]) AND state = 'RESOLVED'
      AND line_id IS NOT NULL`;
  const { rows } = await transaction.query<{ lineId: string }>(statement);
  return rows.map(({ lineId }) => lineId).sort();
}

/**
 * By the key of the claims. Without statistics on a table of a million the planner read all of it: 673 ms for 500 lines, and
 * 45 ms with them. OFFSET 0 keeps it from joining the tables as a whole.
 */
async function findClaims(
  transaction: Transaction,
  { applicationId, lineIds }: Lines,
): Promise<(Claim & { lineId: string })[]> {
  const statement = prepared('find_claims')`/* purchases: findClaims */
    SELECT t.line_id AS "lineId", c.uploaded_by AS "deviceKey", c.device_id AS "deviceId", c.external_id AS "externalId",
      c.arrivals, coalesce(t.counts_from, t.purchased_at) AS "purchasedAt"
    FROM store_transactions t CROSS JOIN LATERAL (SELECT * FROM store_claims c
      WHERE c.transaction_id = t.id AND c.application_id = t.application_id OFFSET 0) c
    WHERE t.application_id = ${applicationId} AND t.line_id = ANY(${lineIds}::text[]) AND t.state = 'RESOLVED'`;
  const { rows } = await transaction.query<Claim & { lineId: string }>(statement);
  return rows;
}

/**
 * Which of these external ids, without case, each device has named in any upload of transactions. PostgreSQL lowers both sides:
 * under the locale C it leaves `Ä` as it is, and JavaScript does not.
 */
async function findNamed(
  transaction: Transaction,
  { deviceKeys, externalIds }: { deviceKeys: string[]; externalIds: string[] },
): Promise<Holder[]> {
  const statement = prepared('find_named')`/* purchases: findNamed */
    SELECT DISTINCT uploaded_by AS "deviceKey", external_id AS "externalId" FROM store_claims
    WHERE uploaded_by = ANY(${deviceKeys}::uuid[]) 
      AND lower(external_id) = ANY(ARRAY(SELECT lower(id) FROM unnest(${externalIds}::text[]) AS t (id)))`;
  const { rows } = await transaction.query<Holder>(statement);
  return rows;
}

export type HolderOfLine = Holder & { lineId: string };

async function findHolders(transaction: Transaction, { applicationId, lineIds }: Lines): Promise<HolderOfLine[]> {
  const statement = prepared('find_holders')`/* purchases: findHolders */
    SELECT line_id AS "lineId", held_by AS "deviceKey", external_id AS "externalId" FROM store_holders
    WHERE application_id = ${applicationId} AND line_id = ANY(${lineIds}::text[])
    ORDER BY line_id, held_by, external_id`;
  const { rows } = await transaction.query<HolderOfLine>(statement);
  return rows;
}

async function changeHolders(
  transaction: Transaction,
  applicationId: string,
  { gone, come }: { gone: HolderOfLine[]; come: HolderOfLine[] },
): Promise<void> {
  const columns = (holders: HolderOfLine[]) =>
    [
      holders.map(({ lineId }) => lineId),
      holders.map((one) => one.deviceKey),
      holders.map((one) => one.externalId),
    ] as const;
  const [[oldLines, oldDevices, oldIds], [lines, devices, ids]] = [columns(gone), columns(come)];
  if (gone.length > 0) {
    await transaction.query(prepared('remove_holders')`/* purchases: changeHolders */
      DELETE FROM store_holders h USING unnest(${oldLines}::text[], ${oldDevices}::uuid[], ${oldIds}::text[])
        AS gone (line_id, held_by, external_id)
      WHERE h.application_id = ${applicationId} AND h.line_id = gone.line_id AND h.held_by = gone.held_by
        AND h.external_id = gone.external_id`);
  }
  if (come.length === 0) return;
  await transaction.query(prepared('add_holders')`/* purchases: changeHolders */
    INSERT INTO store_holders (line_id, application_id, held_by, external_id)
    SELECT line_id, ${applicationId}, held_by, external_id
    FROM unnest(${lines}::text[], ${devices}::uuid[], ${ids}::text[]) AS come (line_id, held_by, external_id)
    ON CONFLICT DO NOTHING`);
}

async function saveOwners(
  transaction: Transaction,
  applicationId: string,
  owners: { lineId: string; owner: Owner | null; firstDeviceId: string | null }[],
): Promise<void> {
  if (owners.length === 0) return;
  const lineIds = owners.map(({ lineId }) => lineId);
  const externalIds = owners.map(({ owner }) => owner?.externalId ?? null);
  const deviceIds = owners.map(({ owner }) => owner?.deviceId ?? null);
  const firstIds = owners.map(({ firstDeviceId }) => firstDeviceId);
  await transaction.query(prepared('save_owners')`/* purchases: saveOwners */
    UPDATE store_entitlements e SET owner_external_id = t.external_id, owner_device_id = t.device_id,
      first_device_id = t.first_id
    FROM unnest(${lineIds}::text[], ${externalIds}::text[], ${deviceIds}::text[], ${firstIds}::text[])
      AS t (line_id, external_id, device_id, first_id)
    WHERE e.line_id = t.line_id AND e.application_id = ${applicationId}`);
}
