// Creates one campaign of the run, as a draft.
import type { CampaignEditInput } from '../../../generated/graphql.ts';
import type { AdminApi } from './adminApi.ts';

/** Returns the campaign's id. */
export async function createCampaign(
  admin: AdminApi,
  applicationId: string,
  campaign: CampaignEditInput & { name: string },
): Promise<string> {
  const { campaignEdit } = await admin.ask<{ campaignEdit: { id: string } }>(
    'mutation Create($input: CampaignEditInput!) { campaignEdit(input: $input) { id } }',
    { input: { ...campaign, applicationId } },
  );
  return campaignEdit.id;
}
