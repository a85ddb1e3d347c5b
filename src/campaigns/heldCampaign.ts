// A campaign under the lock of its row: campaignEdit and campaignChangeState hold it, decide on the change, and write it.
import type { Pool } from 'pg';
import { measured, prepared, sql, type SqlConnection, whileItFits } from '../platform/database/sql.ts';
import { inRemovalTransaction, inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { newId } from '../platform/inputRules.ts';
import { enqueueWebhook } from '../webhooks/enqueueWebhook.ts';
import { type Caller, canAccess } from '../workspace/workspace.ts';
import {
  type CampaignContent,
  type CampaignMove,
  type CampaignState,
  chain,
  deliveredCampaign,
  type FieldChange,
  isPublished,
  movesByClock,
  nextBoundary,
  stateAt,
  type StoredCampaign,
} from './campaignRecord.ts';

/** Locked until the transaction ends. */
export interface HeldCampaign {
  campaign: StoredCampaign;
  /** Read after the lock: while the transaction waited for it, the campaign may have ended by the clock. */
  now: Date;
}

export interface WantedCampaign {
  id: string;
  caller: Caller;
  /** The version that the user has seen. Null and absent accept every stored version. */
  expectedVersion: number | null | undefined;
}

/** Throws `not_found`, and `conflict` for another version. */
export async function holdCampaign(
  transaction: Transaction,
  wanted: WantedCampaign,
  now: () => Date,
): Promise<HeldCampaign> {
  const { id, caller } = wanted;
  const campaign = await lockCampaign(transaction, { id, organizationId: caller.organizationId });
  if (!campaign || !canAccess(caller, campaign.applicationId)) throw new AppError('not_found', undefined);
  const { version } = campaign;
  if (wanted.expectedVersion != null && wanted.expectedVersion !== version) {
    throw new AppError('conflict', { reason: 'version', currentVersion: version });
  }
  return { campaign, now: now() };
}

export interface WrittenCampaign {
  campaign: StoredCampaign;
  /** What the change has written for webhooks. */
  deliveries: number;
}

/**
 * Writes the content as the next version, keeps the content that devices get, and tells the webhooks of the moves. Throws `validation_failed` at `path`
 * when the application's campaigns become too long together.
 */
export async function writeHeldCampaign(
  transaction: Transaction,
  { campaign: before, now }: HeldCampaign,
  { content, by, path }: { content: CampaignContent; by: string; path: string },
): Promise<WrittenCampaign> {
  // The row is locked, so its version is the one just read.
  const { id, version } = before;
  const written = (await updateCampaign(transaction, { id, version, content, now, by }))!;
  if (isPublished(written.state)) await assertSize(transaction, written, path);
  await keepPublished(transaction, written);
  const deliveries = await tellMoves(transaction, { before, after: written, now });
  return { campaign: written, deliveries };
}

/** Characters of JSON, as PostgreSQL writes it: every device of the application fetches nearly all of them. */
const longestConfiguration = 4_194_304;

async function assertSize(transaction: Transaction, { applicationId, updatedAt }: StoredCampaign, path: string) {
  if ((await measurePublished(transaction, { applicationId, endedBefore: updatedAt })) <= longestConfiguration) return;
  const message = `would make the application's campaigns longer than ${longestConfiguration} characters of JSON together`;
  throw new AppError('validation_failed', { fields: [{ path, message }] });
}

/** The service keeps every version that devices get, even when the campaign is paused before any device has fetched it. */
async function keepPublished(transaction: Transaction, campaign: StoredCampaign): Promise<void> {
  const delivered = isPublished(campaign.state) ? deliveredCampaign(campaign) : null;
  if (!delivered) return;
  const { id: campaignId, version, updatedAt: publishedAt } = campaign;
  await insertCampaignVersion(transaction, { campaignId, version, delivered, publishedAt });
}

// Writes the events about a campaign's moves, by a user or by the clock, in the transaction that holds the campaign's row.

/**
 * After a user's write. A move by the clock that nobody has told yet comes before that of the user. Returns how many
 * deliveries the user's own move has written.
 */
export async function tellMoves(
  transaction: Transaction,
  { before, after, now }: { before: StoredCampaign; after: StoredCampaign; now: Date },
): Promise<number> {
  const told = await tellClock(transaction, before, now);
  const moves = chain(told, [{ to: after.state, at: now }]);
  const later = movesByClock(after.state, after, now);
  const deliveries = await enqueue(transaction, after, [...moves, ...later]);
  await note(transaction, after, { state: later.at(-1)?.to ?? after.state, now });
  return deliveries;
}

/** Each move is told once: the row of campaign_clocks says which state the last event told. */
export async function tellMoveByClock(transaction: Transaction, campaign: StoredCampaign, now: Date): Promise<void> {
  const state = await tellClock(transaction, campaign, now);
  await note(transaction, campaign, { state, now });
}

/** No event tells of a new campaign. */
export async function noteNewCampaign(transaction: Transaction, campaign: StoredCampaign, now: Date): Promise<void> {
  await note(transaction, campaign, { state: campaign.state, now });
}

async function tellClock(transaction: Transaction, campaign: StoredCampaign, now: Date): Promise<CampaignState> {
  const told = (await findToldState(transaction, campaign.id)) ?? stateAt(campaign, now);
  const moves = movesByClock(told, campaign, now);
  await enqueue(transaction, campaign, moves);
  return moves.at(-1)?.to ?? told;
}

async function note(
  transaction: Transaction,
  campaign: StoredCampaign,
  { state, now }: { state: CampaignState; now: Date },
): Promise<void> {
  await saveToldState(transaction, { campaignId: campaign.id, state, nextAt: nextBoundary(campaign, now) });
}

async function enqueue(transaction: Transaction, campaign: StoredCampaign, moves: CampaignMove[]): Promise<number> {
  const { id: campaignId, applicationId, version } = campaign;
  let deliveries = 0;
  for (const { from, to, at } of moves) {
    const data = { campaignId, from, to, version };
    const message = { applicationId, type: 'CAMPAIGN_STATE_CHANGED', orderKey: `campaign:${campaignId}` } as const;
    deliveries += await enqueueWebhook(transaction, { ...message, data, at });
  }
  return deliveries;
}

// Tells the moves that the clock has made. Every process repeats it, and the lock of each campaign's row lets one of them tell a move.

const toldAtOnce = 100;

/** Ends when no more than one batch was due. A campaign that another transaction holds is left to it. */
export async function tellMovesByClock(pool: Pool, now: () => Date = () => new Date()): Promise<void> {
  for (;;) {
    const ids = await findMovedCampaigns(pool, { now: now(), limit: toldAtOnce });
    let told = 0;
    for (const id of ids) told += (await tellOne(pool, id, now)) ? 1 : 0;
    if (ids.length < toldAtOnce || told === 0) return;
  }
}

async function tellOne(pool: Pool, id: string, now: () => Date): Promise<boolean> {
  return inTransaction(pool, async (transaction) => {
    const campaign = await tryLockCampaign(transaction, id);
    if (!campaign) return false;
    await tellMoveByClock(transaction, campaign, now());
    return true;
  });
}

// The SQL that writes campaigns, and reads them for devices. A trigger notifies every process of each committed change.

/** The columns of a StoredCampaign from `campaigns c`, without those that hold JSON, which may be long. */
export const shortColumns = sql`c.id, c.application_id AS "applicationId", c.name, c.description,
  c.state::text AS state, c.version, c.priority, c.start_at AS "startAt", c.end_at AS "endAt",
  c.created_at AS "createdAt", c.updated_at AS "updatedAt", c.created_by AS "createdBy", c.updated_by AS "updatedBy"`;

/** The columns of a StoredCampaign from `campaigns c`. */
export const campaignColumns = sql`${shortColumns}, c.trigger, c.targeting, c.frequency, c.action`;

/** The campaigns of live applications, with `p.organization_id` to ask for one organization's own. */
export const ownedCampaigns = sql`campaigns c
  JOIN applications a ON a.id = c.application_id AND a.deleted_at IS NULL
  JOIN projects p ON p.id = a.project_id`;

interface Deliverable {
  applicationId: string;
  /** A campaign that ended before is not delivered. Its row stays in the table. */
  endedBefore: Date;
}

/** Of `campaigns c` those of the application that devices get now or later. */
const deliverable = ({ applicationId, endedBefore }: Deliverable) => sql`c.application_id = ${applicationId}
  AND c.state IN ('SCHEDULED', 'ACTIVE') AND (c.end_at IS NULL OR c.end_at > ${endedBefore})`;

/** The campaigns that devices get now or later. */
export async function findDeliverableCampaigns(
  connection: SqlConnection,
  search: Deliverable,
): Promise<StoredCampaign[]> {
  const statement = prepared('find_deliverable_campaigns')`/* campaigns: findDeliverableCampaigns */
    SELECT ${campaignColumns} FROM campaigns c WHERE ${deliverable(search)}`;
  const { rows } = await connection.query<StoredCampaign>(statement);
  return rows;
}

/**
 * The length, in characters, of an application's campaigns that devices get now or later. Until this transaction ends
 * no other transaction measures.
 */
export async function measurePublished(transaction: Transaction, search: Deliverable): Promise<number> {
  await transaction.query(sql`/* campaigns: lockPublished */
    SELECT 1 FROM applications WHERE id = ${search.applicationId} FOR NO KEY UPDATE`);
  const statement = sql`/* campaigns: measurePublished */
    SELECT coalesce(sum(length(concat(c.name, c.trigger, c.targeting, c.frequency, c.action))), 0) AS characters
    FROM campaigns c WHERE ${deliverable(search)}`;
  const { rows } = await transaction.query<{ characters: string }>(statement);
  return Number(rows[0]!.characters);
}

/** Null where the organization has no such campaign. Locked until the transaction ends. */
export async function lockCampaign(
  transaction: Transaction,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<StoredCampaign | null> {
  const statement = sql`/* campaigns: lockCampaign */
    SELECT ${campaignColumns} FROM ${ownedCampaigns}
    WHERE c.id = ${id} AND p.organization_id = ${organizationId} FOR UPDATE OF c`;
  const { rows } = await transaction.query<StoredCampaign>(statement);
  return rows[0] ?? null;
}

export async function countCampaignsOf(connection: SqlConnection, applicationId: string): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(sql`/* campaigns: countCampaignsOf */
    SELECT count(*)::integer AS count FROM campaigns WHERE application_id = ${applicationId}`);
  return rows[0]!.count;
}

/** As version 1. */
export async function insertCampaign(
  transaction: Transaction,
  {
    applicationId,
    content,
    now,
    by,
  }: { applicationId: string; content: CampaignContent; now: Date; by: string | null },
): Promise<StoredCampaign> {
  const { name, description, state, priority, trigger, targeting, frequency, action, startAt, endAt } = stored(content);
  const statement = sql`/* campaigns: insertCampaign */
    INSERT INTO campaigns AS c (name, description, state, priority, trigger, targeting, frequency, action,
      start_at, end_at, id, application_id, version, created_at, updated_at, created_by, updated_by)
    VALUES (${name}, ${description}, ${state}::campaign_state, ${priority}, ${trigger}, ${targeting}, ${frequency},
      ${action}, ${startAt}, ${endAt}, ${newId()}, ${applicationId}, 1, ${now}, ${now}, ${by}, ${by})
    RETURNING ${campaignColumns}`;
  const { rows } = await transaction.query<StoredCampaign>(statement);
  return rows[0]!;
}

/** Writes the whole content as the next version; null when the stored version is not `version`. */
export async function updateCampaign(
  transaction: Transaction,
  {
    id,
    version,
    content,
    now,
    by,
  }: { id: string; version: number; content: CampaignContent; now: Date; by: string | null },
): Promise<StoredCampaign | null> {
  const { name, description, state, priority, trigger, targeting, frequency, action, startAt, endAt } = stored(content);
  const statement = sql`/* campaigns: updateCampaign */
    UPDATE campaigns AS c SET name = ${name}, description = ${description}, state = ${state}::campaign_state,
      priority = ${priority}, trigger = ${trigger}, targeting = ${targeting}, frequency = ${frequency},
      action = ${action}, start_at = ${startAt}, end_at = ${endAt}, version = version + 1, updated_at = ${now},
      updated_by = ${by}
    WHERE id = ${id} AND version = ${version}
    RETURNING ${campaignColumns}`;
  const { rows } = await transaction.query<StoredCampaign>(statement);
  return rows[0] ?? null;
}

/** Keeps the content that devices get from this version on. */
export async function insertCampaignVersion(
  transaction: Transaction,
  version: { campaignId: string; version: number; delivered: object; publishedAt: Date },
): Promise<void> {
  const delivered = JSON.stringify(version.delivered);
  await transaction.query(sql`/* campaigns: insertCampaignVersion */
    INSERT INTO campaign_versions (campaign_id, version, delivered, published_at)
    VALUES (${version.campaignId}, ${version.version}, ${delivered}, ${version.publishedAt})`);
}

/** The content as the driver takes it. */
function stored({ trigger, targeting, frequency, action, startAt, endAt, ...short }: CampaignContent) {
  const json = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
  // As text: the driver writes a Date in local time, which is seconds off where the zone's offset once had seconds.
  const instant = (date: Date | null): string | null => date?.toISOString() ?? null;
  return {
    ...short,
    trigger: json(trigger),
    targeting: json(targeting),
    frequency: json(frequency),
    action: json(action),
    startAt: instant(startAt),
    endAt: instant(endAt),
  };
}

// The SQL of campaign_clocks: the state of each campaign that the last event told, and when the clock changes it next.

/** The caller holds the campaign's row, so that no other transaction changes this one. Null for a new campaign. */
export async function findToldState(transaction: Transaction, campaignId: string): Promise<CampaignState | null> {
  const statement = prepared('find_told_state')`/* campaigns: findToldState */
    SELECT state::text AS state FROM campaign_clocks WHERE campaign_id = ${campaignId}`;
  const { rows } = await transaction.query<{ state: CampaignState }>(statement);
  return rows[0]?.state ?? null;
}

export async function saveToldState(
  transaction: Transaction,
  { campaignId, state, nextAt }: { campaignId: string; state: CampaignState; nextAt: Date | null },
): Promise<void> {
  const next = nextAt?.toISOString() ?? null;
  await transaction.query(prepared('save_told_state')`/* campaigns: saveToldState */
    INSERT INTO campaign_clocks (campaign_id, state, next_at)
    VALUES (${campaignId}, ${state}::campaign_state, ${next}::timestamptz)
    ON CONFLICT (campaign_id) DO UPDATE SET state = excluded.state, next_at = excluded.next_at`);
}

/** Campaigns that the clock has moved, those that wait longest first. */
export async function findMovedCampaigns(
  connection: SqlConnection,
  { now, limit }: { now: Date; limit: number },
): Promise<string[]> {
  const statement = prepared('find_moved_campaigns')`/* campaigns: findMovedCampaigns */
    SELECT campaign_id AS id FROM campaign_clocks WHERE next_at <= ${now} ORDER BY next_at LIMIT ${limit}`;
  const { rows } = await connection.query<{ id: string }>(statement);
  return rows.map(({ id }) => id);
}

/** Null when another transaction holds it, which then tells its moves, and when it is deleted. */
export async function tryLockCampaign(transaction: Transaction, id: string): Promise<StoredCampaign | null> {
  const statement = prepared('try_lock_campaign')`/* campaigns: tryLockCampaign */
    SELECT ${campaignColumns} FROM campaigns c WHERE c.id = ${id} FOR NO KEY UPDATE SKIP LOCKED`;
  const { rows } = await transaction.query<StoredCampaign>(statement);
  return rows[0] ?? null;
}

// The SQL of Campaign.history: what an edit changed, beside the audit line that says who made it and when.

export async function insertCampaignChange(
  transaction: Transaction,
  { campaignId, version, changes }: { campaignId: string; version: number; changes: FieldChange[] },
): Promise<void> {
  await transaction.query(sql`/* campaigns: insertCampaignChange */
    INSERT INTO campaign_changes (campaign_id, version, changes)
    VALUES (${campaignId}, ${version}, ${JSON.stringify(changes)})`);
}

/** Without `before` and `after` where the values were not kept. */
export type KeptChange = Pick<FieldChange, 'field'> & Partial<FieldChange>;

export interface CampaignChangeRecord {
  campaignId: string;
  at: Date;
  by: string;
  action: string;
  details: { version: number; from?: CampaignState; to?: CampaignState; fields?: string[] };
  /** Null for a move, and for an edit whose values were not kept. */
  changes: KeptChange[] | null;
  bytes: number;
}

export interface HistoryPage {
  organizationId: string;
  /** For each campaign. */
  limit: number;
  before: Date | null;
}

/** The changes of several campaigns, each campaign's newest first. `room` is that of the whole response. */
export async function findCampaignChanges(
  connection: SqlConnection,
  campaignIds: readonly string[],
  { organizationId, limit, before, room }: HistoryPage & { room: { limit: number; bytes: number } },
): Promise<CampaignChangeRecord[]> {
  const statement = sql`/* campaigns: findCampaignChanges */
    SELECT line."campaignId", line.at, line.actor AS by, line.action, line.details, long.bytes,
      ${whileItFits('line.changes', room.bytes)} AS changes
    FROM (
      SELECT wanted.id AS "campaignId", wanted.place, page.*, c.changes
      FROM unnest(${campaignIds}::uuid[]) WITH ORDINALITY AS wanted (id, place)
      CROSS JOIN LATERAL (
        SELECT at, id AS line, actor, action, details FROM audit_entries
        WHERE organization_id = ${organizationId} AND object_id = wanted.id::text AND object_type = 'campaign'
          AND action IN ('campaignEdit', 'campaignChangeState') AND at < coalesce(${before}::timestamptz, 'infinity')
        ORDER BY at DESC, line DESC LIMIT ${limit}) AS page
      LEFT JOIN campaign_changes c ON c.campaign_id = wanted.id AND c.version = (page.details ->> 'version')::integer
      ORDER BY wanted.place, page.at DESC, page.line DESC LIMIT ${room.limit}) AS line
    ${measured('line.actor', 'line.details', 'line.changes')}
    ORDER BY line.place, line.at DESC, line.line DESC`;
  const { rows } = await connection.query<CampaignChangeRecord>(statement);
  return rows;
}

// The SQL that removes the campaigns of a deleted application.

const removedAtOnce = 200;

/** Removes one batch together with its counts, which do not name the application; true when more may be left. */
export function removeCampaigns(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    const statement = prepared('remove_campaigns')`/* campaigns: removeCampaigns */
      WITH batch AS MATERIALIZED (SELECT id FROM campaigns WHERE application_id = ${applicationId} LIMIT ${removedAtOnce}),
        counts AS (DELETE FROM campaign_counts c USING batch WHERE c.campaign_id = batch.id),
        removed AS (DELETE FROM campaigns c USING batch WHERE c.id = batch.id RETURNING c.id)
      SELECT count(*)::integer AS removed FROM removed`;
    const { rows } = await transaction.query<{ removed: number }>(statement);
    return rows[0]!.removed === removedAtOnce;
  });
}
