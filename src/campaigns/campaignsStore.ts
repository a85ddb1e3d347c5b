// Reads and writes of campaigns. A trigger on the table tells every process of each change, with its commit.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/newId.ts';
import type { CampaignContent, StoredCampaign } from './campaignRecord.ts';

/** Of a StoredCampaign from `campaigns c`, all but those that hold JSON, which may be long. */
export const shortColumns = `c.id, c.application_id AS "applicationId", c.name, c.description,
  c.state::text AS state, c.version, c.priority, c.start_at AS "startAt", c.end_at AS "endAt",
  c.created_at AS "createdAt", c.updated_at AS "updatedAt"`;

/** A StoredCampaign from `campaigns c`. */
export const campaignColumns = `${shortColumns}, c.trigger, c.targeting, c.frequency, c.action`;

/** Those of live applications, with `p.organization_id` to ask for one organization's own. */
export const ownedCampaigns = `campaigns c
  JOIN applications a ON a.id = c.application_id AND a.deleted_at IS NULL
  JOIN projects p ON p.id = a.project_id`;

/** Of `campaigns c` those of application $1 that devices may get now or later: what ended before $2 stays in the table for good. */
const deliverable = `c.application_id = $1 AND c.state IN ('SCHEDULED', 'ACTIVE') AND (c.end_at IS NULL OR c.end_at > $2)`;

/** The campaigns that devices may get now or later. */
export async function findDeliverableCampaigns(
  client: SqlConnection,
  { applicationId, endedBefore }: { applicationId: string; endedBefore: Date },
): Promise<StoredCampaign[]> {
  const { rows } = await client.query<StoredCampaign>({
    name: 'find_deliverable_campaigns',
    text: `/* campaigns: findDeliverableCampaigns */
      SELECT ${campaignColumns} FROM campaigns c WHERE ${deliverable}`,
    values: [applicationId, endedBefore],
  });
  return rows;
}

/** Characters of what devices get or will get of an application's campaigns; until the transaction ends no other one measures it. */
export async function measurePublished(
  transaction: Transaction,
  { applicationId, endedBefore }: { applicationId: string; endedBefore: Date },
): Promise<number> {
  await transaction.query('/* campaigns: lockPublished */ SELECT 1 FROM applications WHERE id = $1 FOR NO KEY UPDATE', [
    applicationId,
  ]);
  const { rows } = await transaction.query<{ characters: string }>(
    `/* campaigns: measurePublished */
      SELECT coalesce(sum(length(concat(c.name, c.trigger, c.targeting, c.frequency, c.action))), 0) AS characters
      FROM campaigns c WHERE ${deliverable}`,
    [applicationId, endedBefore],
  );
  return Number(rows[0]!.characters);
}

/** Null where the organization has no such campaign. Locked until the caller's transaction ends. */
export async function lockCampaign(
  transaction: Transaction,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<StoredCampaign | null> {
  const { rows } = await transaction.query<StoredCampaign>(
    `/* campaigns: lockCampaign */
      SELECT ${campaignColumns} FROM ${ownedCampaigns}
      WHERE c.id = $1 AND p.organization_id = $2
      FOR UPDATE OF c`,
    [id, organizationId],
  );
  return rows[0] ?? null;
}

/** As version 1. */
export async function insertCampaign(
  transaction: Transaction,
  { applicationId, content, now }: { applicationId: string; content: CampaignContent; now: Date },
): Promise<StoredCampaign> {
  const { rows } = await transaction.query<StoredCampaign>(
    `/* campaigns: insertCampaign */
      INSERT INTO campaigns AS c (name, description, state, priority, trigger, targeting, frequency, action,
        start_at, end_at, id, application_id, version, created_at, updated_at)
      VALUES ($1, $2, $3::campaign_state, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $13)
      RETURNING ${campaignColumns}`,
    [...contentValues(content), newId(), applicationId, now],
  );
  return rows[0]!;
}

/** Writes the whole content as the next version; null when another version than `version` is stored. */
export async function updateCampaign(
  transaction: Transaction,
  { id, version, content, now }: { id: string; version: number; content: CampaignContent; now: Date },
): Promise<StoredCampaign | null> {
  const { rows } = await transaction.query<StoredCampaign>(
    `/* campaigns: updateCampaign */
      UPDATE campaigns AS c SET name = $1, description = $2, state = $3::campaign_state, priority = $4, trigger = $5,
        targeting = $6, frequency = $7, action = $8, start_at = $9, end_at = $10, version = version + 1, updated_at = $13
      WHERE id = $11 AND version = $12
      RETURNING ${campaignColumns}`,
    [...contentValues(content), id, version, now],
  );
  return rows[0] ?? null;
}

/** What devices get of a campaign from this version on. */
export async function insertCampaignVersion(
  transaction: Transaction,
  version: { campaignId: string; version: number; delivered: object; publishedAt: Date },
): Promise<void> {
  await transaction.query(
    `/* campaigns: insertCampaignVersion */
      INSERT INTO campaign_versions (campaign_id, version, delivered, published_at) VALUES ($1, $2, $3, $4)`,
    [version.campaignId, version.version, JSON.stringify(version.delivered), version.publishedAt],
  );
}

function contentValues(content: CampaignContent): unknown[] {
  const { name, description, state, priority, trigger, targeting, frequency, action, startAt, endAt } = content;
  const json = [trigger, targeting, frequency, action].map((value) => (value === null ? null : JSON.stringify(value)));
  // As text: the driver writes a Date in local time, seconds off where the zone's offset once had seconds.
  const ends = [startAt, endAt].map((end) => end?.toISOString() ?? null);
  return [name, description, state, priority, ...json, ...ends];
}
