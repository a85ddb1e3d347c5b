// The SQL of campaign_clocks: the state of each campaign that the last event told, and when the clock changes it next.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { CampaignState, StoredCampaign } from './campaignRecord.ts';
import { campaignColumns } from './campaignsStore.ts';

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
