// A campaign under the lock of its row: users and the clock hold it, change it, and write the events about its moves.
import type { Pool } from 'pg';
import { prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
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

/** SQL, because it locks. Throws `not_found`, and `conflict` for another version. */
export async function holdCampaign(
  transaction: Transaction,
  { id, caller, expectedVersion }: WantedCampaign,
  now: () => Date,
): Promise<HeldCampaign> {
  const { rows } = await transaction.query<StoredCampaign>(sql`/* campaigns: holdCampaign */
    SELECT ${campaignColumns} FROM ${ownedCampaigns}
    WHERE c.id = ${id} AND p.organization_id = ${caller.organizationId} FOR UPDATE OF c`);
  const [campaign] = rows;
  if (!campaign || !canAccess(caller, campaign.applicationId)) throw new AppError('not_found', undefined);
  const { version } = campaign;
  if (expectedVersion != null && expectedVersion !== version) {
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
 * Writes the content as the next version, keeps the content that devices get, and the events of its moves. Throws
 * `validation_failed` at `path` when the application's campaigns become too long together.
 */
export async function writeHeldCampaign(
  transaction: Transaction,
  { campaign: before, now }: HeldCampaign,
  { content, by, path }: { content: CampaignContent; by: string; path: string },
): Promise<WrittenCampaign> {
  const campaign = await updateCampaign(transaction, before.id, { content, now, by });
  const { id: campaignId, version, updatedAt: publishedAt } = campaign;
  if (isPublished(campaign.state)) {
    await assertSize(transaction, campaign, path);
    // Kept even when the campaign is paused before any device has fetched it.
    const delivered = JSON.stringify(deliveredCampaign(campaign));
    await transaction.query(sql`/* campaigns: keepVersion */
      INSERT INTO campaign_versions (campaign_id, version, delivered, published_at)
      SELECT ${campaignId}, ${version}::integer, ${delivered}::jsonb, ${publishedAt} WHERE ${delivered} <> 'null'`);
  }
  return { campaign, deliveries: await emitMoves(transaction, { before, after: campaign, now }) };
}

/** Characters of JSON, as PostgreSQL writes it: every device of the application fetches nearly all of them. */
const longestConfiguration = 4_194_304;

async function assertSize(transaction: Transaction, { applicationId, updatedAt }: StoredCampaign, path: string) {
  if ((await measurePublished(transaction, { applicationId, endedBefore: updatedAt })) <= longestConfiguration) return;
  const message = `would make the application's campaigns longer than ${longestConfiguration} characters of JSON together`;
  throw new AppError('validation_failed', { fields: [{ path, message }] });
}

interface Change {
  content: CampaignContent;
  now: Date;
  by: string | null;
}

/** SQL, because Prisma drops `__proto__` from JSON. As version 1. */
export async function insertCampaign(
  connection: SqlConnection,
  { applicationId, content, now, by }: Change & { applicationId: string },
): Promise<StoredCampaign> {
  const { name, description, state, priority, trigger, targeting, frequency, action, startAt, endAt } = stored(content);
  const { rows } = await connection.query<StoredCampaign>(sql`/* campaigns: insertCampaign */
    INSERT INTO campaigns AS c (name, description, state, priority, trigger, targeting, frequency, action,
      start_at, end_at, id, application_id, version, created_at, updated_at, created_by, updated_by)
    VALUES (${name}, ${description}, ${state}::campaign_state, ${priority}, ${trigger}, ${targeting}, ${frequency},
      ${action}, ${startAt}, ${endAt}, ${newId()}, ${applicationId}, 1, ${now}, ${now}, ${by}, ${by})
    RETURNING ${campaignColumns}`);
  return rows[0]!;
}

/** SQL, because Prisma drops `__proto__` from JSON. The whole content as the next version. The caller has locked the row. */
export async function updateCampaign(
  connection: SqlConnection,
  id: string,
  { content, now, by }: Change,
): Promise<StoredCampaign> {
  const { name, description, state, priority, trigger, targeting, frequency, action, startAt, endAt } = stored(content);
  const { rows } = await connection.query<StoredCampaign>(sql`/* campaigns: updateCampaign */
    UPDATE campaigns AS c SET name = ${name}, description = ${description}, state = ${state}::campaign_state,
      priority = ${priority}, trigger = ${trigger}, targeting = ${targeting}, frequency = ${frequency},
      action = ${action}, start_at = ${startAt}, end_at = ${endAt}, version = version + 1, updated_at = ${now},
      updated_by = ${by}
    WHERE id = ${id}
    RETURNING ${campaignColumns}`);
  return rows[0]!;
}

/** The content as the driver takes it. */
function stored({ trigger, targeting, frequency, action, startAt, endAt, ...short }: CampaignContent) {
  const json = (value: object | null): string | null => value && JSON.stringify(value);
  // As text: the driver writes a Date in local time, which is seconds off where the zone's offset once had seconds.
  const instant = (date: Date | null): string | null => date?.toISOString() ?? null;
  const parts = {
    trigger: json(trigger),
    targeting: json(targeting),
    frequency: json(frequency),
    action: json(action),
  };
  return { ...short, ...parts, startAt: instant(startAt), endAt: instant(endAt) };
}

// The events about moves, by a user or by the clock: each is written once, in the transaction that holds the campaign's row.

/**
 * After a user's write. A move by the clock without its event yet comes before that of the user. Returns how many
 * deliveries the user's own move has written.
 */
async function emitMoves(
  transaction: Transaction,
  { before, after, now }: { before: StoredCampaign; after: StoredCampaign; now: Date },
): Promise<number> {
  const moves = chain(await emitMovesUntil(transaction, before, now), [{ to: after.state, at: now }]);
  const later = movesByClock(after.state, after, now);
  const deliveries = await enqueue(transaction, after, [...moves, ...later]);
  await saveEventState(transaction, after, { state: later.at(-1)?.to ?? after.state, now });
  return deliveries;
}

/** Of the clock. Returns the state of the last event. */
async function emitMovesUntil(transaction: Transaction, campaign: StoredCampaign, now: Date): Promise<CampaignState> {
  const statement = prepared('find_told_state')`/* campaigns: emitMovesUntil */
    SELECT state::text AS state FROM campaign_clocks WHERE campaign_id = ${campaign.id}`;
  const { rows } = await transaction.query<{ state: CampaignState }>(statement);
  const told = rows[0]?.state ?? stateAt(campaign, now);
  const moves = movesByClock(told, campaign, now);
  await enqueue(transaction, campaign, moves);
  return moves.at(-1)?.to ?? told;
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

/** No event is about a new campaign: its state counts as that of the last event. */
export async function saveEventState(
  transaction: Transaction,
  campaign: StoredCampaign,
  { state = campaign.state, now }: { state?: CampaignState; now: Date },
): Promise<void> {
  const next = nextBoundary(campaign, now)?.toISOString() ?? null;
  await transaction.query(prepared('save_told_state')`/* campaigns: saveEventState */
    INSERT INTO campaign_clocks (campaign_id, state, next_at)
    VALUES (${campaign.id}, ${state}::campaign_state, ${next}::timestamptz)
    ON CONFLICT (campaign_id) DO UPDATE SET state = excluded.state, next_at = excluded.next_at`);
}

const movedAtOnce = 100;

/**
 * Every process repeats it, and the lock of each campaign's row lets one of them write the event of a move. Ends when no more
 * than one batch was due. Those that wait longest come first; a campaign that another transaction holds is left to it.
 */
export async function tellMovesByClock(pool: Pool, now: () => Date = () => new Date()): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ id: string }>(prepared(
      'find_moved_campaigns',
    )`/* campaigns: findMovedCampaigns */
      SELECT campaign_id AS id FROM campaign_clocks WHERE next_at <= ${now()} ORDER BY next_at LIMIT ${movedAtOnce}`);
    let moved = 0;
    for (const { id } of rows) moved += (await emitMovesOf(pool, id, now)) ? 1 : 0;
    if (rows.length < movedAtOnce || moved === 0) return;
  }
}

function emitMovesOf(pool: Pool, id: string, now: () => Date): Promise<boolean> {
  return inTransaction(pool, async (transaction) => {
    const statement = prepared('try_lock_campaign')`/* campaigns: emitMovesOf */
      SELECT ${campaignColumns} FROM campaigns c WHERE c.id = ${id} FOR NO KEY UPDATE SKIP LOCKED`;
    const [campaign] = (await transaction.query<StoredCampaign>(statement)).rows;
    if (!campaign) return false;
    const at = now();
    await saveEventState(transaction, campaign, { state: await emitMovesUntil(transaction, campaign, at), now: at });
    return true;
  });
}

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

const removedAtOnce = 200;

/** Of a deleted application one batch, with its counts, which do not name the application; true when more may be left. */
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
