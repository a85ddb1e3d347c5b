// What a save sends, and what a refusal of it means.
import type { CampaignEditInput } from '../../../../generated/screens/campaignEditor/graphql.ts';
import { ApiError } from '../../api/apiError.ts';
import type { Draft, EditedCampaign } from './draft.ts';
import { inputOf } from './draftInput.ts';

interface Target {
  applicationId: string;
  timeZone: string;
  /** The version that the form began with. Null for a new campaign. */
  campaign: EditedCampaign | null;
}

export function saveInput(draft: Draft, { applicationId, timeZone, campaign }: Target): CampaignEditInput {
  const content = inputOf(draft, { timeZone, schedule: campaign?.schedule ?? null });
  return campaign ? { id: campaign.id, expectedVersion: campaign.version, ...content } : { applicationId, ...content };
}

/** Whether somebody else has saved since, and the form still begins with the version before. */
export function isOutdated(error: ApiError | null, campaign: EditedCampaign | null): boolean {
  if (error?.code !== 'CONFLICT' || error.extensions['reason'] !== 'version') return false;
  return error.extensions['currentVersion'] !== campaign?.version;
}

/** What is left to say of an error where `Conflict` does not stand for it. */
export function saidError(error: ApiError | null): ApiError | null {
  if (error?.code === 'BAD_USER_INPUT' && error.fields.some(({ path }) => path === 'input'))
    return new ApiError(tooLong, 'CONFLICT', error);
  if (error?.code !== 'CONFLICT') return error;
  if (error.extensions['reason'] === 'version') return null;
  return error.extensions['reason'] === 'not_editable' ? new ApiError(over, 'CONFLICT', error) : error;
}

const over = 'The campaign has ended meanwhile, so nobody can edit it. Save what is typed as a new campaign.';
/** schema.graphql, "Campaigns": the limit of all running campaigns together. */
const tooLong =
  'The running campaigns of this application would be too long together. Shorten this one or end another.';
