// The SQL that counts shows by device and day, for campaigns with a frequency: `CampaignStats.suspect` of schema.graphql.
import { plainArray } from '../../platform/database/arrayLiteral.ts';
import { prepared } from '../../platform/database/sql.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { timestampText } from '../timestampText.ts';
import type { ShowIncrement } from './shownCampaigns.ts';

/**
 * After the sessions of the batch are stored. `receivedAt`, in Unix seconds, is their arrival; null is the transaction's
 * time. Only a campaign with a cap gets rows, and the sessions of a device are read only for a cap of sessions.
 */
export async function addCampaignShows(
  transaction: Transaction,
  increments: ShowIncrement[],
  receivedAt: number | null,
): Promise<void> {
  const campaignIds = plainArray(increments.map(({ campaignId }) => campaignId));
  const applicationIds = plainArray(increments.map(({ applicationId }) => applicationId));
  const deviceKeys = plainArray(increments.map(({ deviceKey }) => deviceKey));
  const shows = plainArray(increments.map((increment) => increment.shows));
  const anchors = plainArray(increments.map(({ anchoredOn }) => anchoredOn));
  // PostgreSQL reads the text as the time of the transaction.
  const at = receivedAt === null ? 'now' : timestampText(receivedAt);
  await transaction.query(prepared('add_campaign_shows')`/* sessions: addCampaignShows */
    WITH of_day AS MATERIALIZED (
      SELECT device_key, count(*) AS sessions FROM sessions
      WHERE device_key = ANY(${deviceKeys}::uuid[]) AND received_at >= date_trunc('day', ${at}::timestamptz, 'UTC')
      GROUP BY device_key)
    INSERT INTO campaign_shows AS s (campaign_id, shown_by, day, shows, suspect, sessions, continued, most, per_session)
    SELECT c.id, t.device, today.day, t.shows,
      greatest(0, t.shows - least(caps.most, caps.per_session * (n.sessions + (t.anchored < today.day)::int))),
      n.sessions, t.anchored < today.day, caps.most, caps.per_session
    FROM (SELECT * FROM unnest(${campaignIds}::uuid[], ${applicationIds}::uuid[], ${deviceKeys}::uuid[], ${shows}::int8[],
      ${anchors}::date[]) AS given (campaign, application, device, shows, anchored)) t
    JOIN campaigns c ON c.id = t.campaign AND c.application_id = t.application
    CROSS JOIN (SELECT (${at}::timestamptz AT TIME ZONE 'UTC')::date AS day) today
    CROSS JOIN LATERAL (
      SELECT least((c.frequency ->> 'perDay')::int8, (c.frequency ->> 'total')::int8) AS most,
        (c.frequency ->> 'perSession')::int8 AS per_session) caps
    CROSS JOIN LATERAL (
      SELECT CASE WHEN caps.per_session IS NOT NULL
        THEN coalesce((SELECT d.sessions FROM of_day d WHERE d.device_key = t.device), 0) END AS sessions) n
    WHERE caps.most IS NOT NULL OR caps.per_session IS NOT NULL
    ORDER BY c.id, t.device
    ON CONFLICT (campaign_id, shown_by, day) DO UPDATE SET shows = s.shows + excluded.shows,
      suspect = greatest(0, s.shows + excluded.shows - least(excluded.most,
        excluded.per_session * (excluded.sessions + (s.continued OR excluded.continued)::int))),
      sessions = excluded.sessions, continued = s.continued OR excluded.continued, most = excluded.most,
      per_session = excluded.per_session`);
}
