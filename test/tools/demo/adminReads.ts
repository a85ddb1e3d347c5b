// Reads the counts of campaigns and the devices through the admin API, after all data was sent.
import type { CampaignState, StoreTransactionState } from '../../../generated/graphql.ts';
import type { AdminApi } from './adminApi.ts';
import type { CampaignCounts } from './simulation/campaignCounts.ts';
import type { ExpectedEntitlement } from './simulation/shop.ts';

export interface ShownCampaign {
  state: CampaignState;
  counts: CampaignCounts;
}

type Part<Names extends keyof CampaignCounts> = Pick<CampaignCounts, Names>;

interface CampaignResponse {
  campaign: {
    state: CampaignState;
    stats: {
      shown: number;
      resolved: Part<'completed' | 'dismissed' | 'unavailable' | 'skippedNoPresenter' | 'skippedNoContinuation'>;
      unavailableReasons: Part<'timedOut' | 'presenterFailed' | 'presenterReported'>;
    };
  } | null;
}

/** Null when the admin API does not know the campaign. */
export async function readCampaign(admin: AdminApi, id: string): Promise<ShownCampaign | null> {
  const { campaign } = await admin.ask<CampaignResponse>(
    `query Counts($id: UUID!) { campaign(id: $id) { state stats {
      shown
      resolved { completed dismissed unavailable skippedNoPresenter skippedNoContinuation }
      unavailableReasons { timedOut presenterFailed presenterReported }
    } } }`,
    { id },
  );
  if (!campaign) return null;
  const { shown, resolved, unavailableReasons } = campaign.stats;
  return { state: campaign.state, counts: { shown, ...resolved, ...unavailableReasons } };
}

export interface ShownDevice {
  transactions: { id: string; state: StoreTransactionState; reason: string | null }[];
  entitlements: ShownEntitlement[];
  attribution: { provider: string; payload: unknown }[];
}

type Dates = 'purchasedAt' | 'expiresAt' | 'revokedAt';

/** An entitlement with its dates as text. */
export type ShownEntitlement = Omit<ExpectedEntitlement, Dates> & Record<Dates, string | null>;

export interface DeviceAddress {
  applicationId: string;
  deviceId: string;
}

/** Null when nothing has arrived from the device. */
export async function readDevice(
  admin: AdminApi,
  { applicationId, deviceId }: DeviceAddress,
): Promise<ShownDevice | null> {
  const { device } = await admin.ask<{ device: ShownDevice | null }>(
    `query Device($applicationId: UUID!, $deviceId: String!) { device(applicationId: $applicationId, id: $deviceId) {
      transactions { id state reason }
      entitlements { productId kind environment purchasedAt expiresAt revokedAt autoRenew active }
      attribution { provider payload }
    } }`,
    { applicationId, deviceId },
  );
  return device;
}
