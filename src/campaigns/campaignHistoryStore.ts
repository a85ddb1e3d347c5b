// The SQL of Campaign.history: what an edit changed, beside the audit line that says who made it and when.
import { measured, whileItFits } from '../platform/database/measuredSql.ts';
import { sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { CampaignState } from './campaignRecord.ts';
import type { FieldChange } from './fieldChanges.ts';

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
