// The SQL that writes campaigns, and reads them for devices. A trigger notifies every process of each committed change.
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/newId.ts';
import type { CampaignContent, StoredCampaign } from './campaignRecord.ts';

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
